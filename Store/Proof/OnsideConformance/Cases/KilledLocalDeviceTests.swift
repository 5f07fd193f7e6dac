import ConformanceTable
import Foundation
import OnsideKit
import StoreTestSupport
import Testing

/// Kills real processes on a local store in the middle of a purchase, and looks at what they make of it afterwards.
@MainActor
@Suite(
  "Killed local devices", .serialized, .columns(.local, because: "another case kills devices of the store"),
  .timeLimit(.minutes(5)))
struct KilledLocalDeviceTests {
  @Test(
    "QUE-8: a local device killed anywhere between add and finish delivers what was paid, once, and pays nothing twice",
    arguments: [
      ("sdk.added", false), ("sdk.journaled", false), ("sdk.ordered", false), ("sdk.presenting", false),
      ("sdk.settled", true), ("sdk.delivered", true), ("sdk.finishJournaled", true), ("sdk.finishSent", true),
    ])
  func killed(at checkpoint: String, isPaid: Bool) async throws {
    try await TestedSystem.run { system in
      let folder = try TemporaryFolder()
      try await buyAndDie(at: checkpoint, in: system, folder: folder)
      // The next launch: whatever it has to say of the first purchase is said before the second one is done.
      let device = try DeviceProcess(system, in: folder)
      device.send("observe")
      let isOpen = Self.open.contains(checkpoint)
      if isOpen { try await device.finishNext(isPaid ? "purchased" : "failed") { _ in true } }
      device.send("add \(ExampleProducts.season)")
      let known = device.ids(.purchased)
      try await device.finishNext("purchased") { !known.contains($0) }
      // The app is told of a finish as soon as it is on disk, which is before the store is told.
      try await NamedDeadline.wait(for: "a finish in the store", every: .milliseconds(10)) {
        try await books(in: folder) { $0.contains { $0.productIdentifier == ExampleProducts.season && $0.isFinished } }
      }
      try await device.quit()
      #expect(device.ids(.purchased).union(device.ids(.failed)).count == (isOpen ? 2 : 1))
      try await checkBooks(in: folder, isPaid: isPaid)
    }
  }

  /// Where a device dies before the app has finished.
  private static let open: Set = ["sdk.journaled", "sdk.ordered", "sdk.presenting", "sdk.settled", "sdk.delivered"]

  private func buyAndDie(at checkpoint: String, in system: TestedSystem, folder: TemporaryFolder) async throws {
    let device = try DeviceProcess(system, in: folder, killAt: checkpoint)
    device.send("observe")
    device.send("add \(ExampleProducts.coins)")
    let player = Task { try await device.sendFinish(ofNext: "purchased") { _ in true } }
    try await device.end.until { $0 != nil }
    #expect(device.end.value == .signal(SIGKILL), "\(device.lines.value)")
    player.cancel()
    _ = await player.result
  }

  private func checkBooks(in folder: TemporaryFolder, isPaid: Bool) async throws {
    try await books(in: folder) { transactions in
      let coins = transactions.filter { $0.productIdentifier == ExampleProducts.coins }
      #expect(coins.count { $0.state == .purchased } == (isPaid ? 1 : 0))
      #expect(coins.allSatisfy { $0.state == .cancelled || $0.isFinished })
      #expect(transactions.count { $0.productIdentifier == ExampleProducts.season && $0.isFinished } == 1)
    }
  }

  /// What the store has on disk.
  private func books<Value>(
    in folder: TemporaryFolder, _ body: ([LocalTransaction]) -> Value
  ) async throws -> Value {
    let store = try ExampleProducts.localStore(in: folder, ahead: Observed(0))
    let value = body(store.transactions())
    await store.close()
    return value
  }
}

extension DeviceProcess {
  /// Waits for a transaction in a state, and asks for its finish; its id.
  @discardableResult
  fileprivate func sendFinish(
    ofNext state: String, where isMeant: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    let told = try await line { $0.first == "updated" && $0[2] == state && isMeant($0[1]) }
    send("finish \(told[1])")
    return told[1]
  }

  /// Waits for a transaction in a state, and finishes it.
  fileprivate func finishNext(_ state: String, where isMeant: @escaping @Sendable (String) -> Bool) async throws {
    _ = try await line("removed", try await sendFinish(ofNext: state, where: isMeant))
  }
}
