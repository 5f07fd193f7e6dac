import ConformanceTable
import Foundation
import OnsideKit
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
    try await World.run { world in
      let folder = try TemporaryFolder()
      let first = try DeviceProcess(world, folder, killAt: checkpoint)
      first.send("observe")
      first.send("add \(Goods.coins)")
      let player = Task {
        let bought = try await first.line { $0.first == "updated" && $0[2] == "purchased" }
        first.send("finish \(bought[1])")
      }
      try await first.end.until { $0 != nil }
      #expect(first.end.value == .signal(SIGKILL), "\(first.lines.value)")
      player.cancel()
      _ = await player.result

      // The next launch: whatever it has to say of the first purchase is said before the second one is done.
      let second = try DeviceProcess(world, folder)
      second.send("observe")
      let isOpen = ["sdk.journaled", "sdk.ordered", "sdk.presenting", "sdk.settled", "sdk.delivered"]
        .contains(checkpoint)
      if isOpen {
        let last = try await second.line { $0.first == "updated" && $0[2] == (isPaid ? "purchased" : "failed") }
        second.send("finish \(last[1])")
        _ = try await second.line("removed", last[1])
      }
      second.send("add \(Goods.season)")
      let known = second.ids(.purchased)
      let marker = try await second.line { $0.first == "updated" && $0[2] == "purchased" && !known.contains($0[1]) }
      second.send("finish \(marker[1])")
      _ = try await second.line("removed", marker[1])
      try await second.quit()
      #expect(second.ids(.purchased).union(second.ids(.failed)).count == (isOpen ? 2 : 1))

      let store = try Goods.localStore(in: folder, ahead: Observed(0))
      let coins = store.transactions().filter { $0.productIdentifier == Goods.coins }
      #expect(coins.count { $0.state == .purchased } == (isPaid ? 1 : 0))
      #expect(coins.allSatisfy { $0.state == .cancelled || $0.isFinished })
      #expect(store.transactions().count { $0.productIdentifier == Goods.season && $0.isFinished } == 1)
      await store.close()
    }
  }
}
