import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreSales
import StoreTestSupport
import Testing

/// Crash tests: kills processes in the middle of a purchase, restarts them on the same folder, and checks the result.
@MainActor
@Suite(
  "Killed devices", .serialized, .columns(.store, because: "another case kills local devices"),
  .timeLimit(.minutes(5)))
struct KilledDeviceTests {
  /// When the restarted app adds its observer.
  enum Start: CaseIterable, Sendable {
    /// With an observer from the first moment.
    case atOnce
    /// With an observer some time after the start.
    case late
    /// It is killed and restarted once more.
    case twice
  }

  private static let beforePayment: Set = ["sdk.journaled", "sdk.ordered", "sdk.presenting"]
  private static let afterPayment: Set = ["sdk.settled", "sdk.delivered"]

  /// A storage folder in which a user is signed in.
  private func signedInFolder(of user: SimulatedUser, in system: TestedSystem) async throws -> TemporaryFolder {
    let device = try await system.signedInDevice(of: user, observed: false)
    await device.close()
    return device.folder
  }

  /// Pays on the page that the process shows.
  private func pay(_ process: DeviceProcess, as user: SimulatedUser) async throws {
    let address = try await process.line("open")[1]
    try await pay(at: address, user)
  }

  /// Pays on a page. An error of the return to a dead process is ignored, and so is a page that has nothing to pay.
  private func pay(at address: String, _ user: SimulatedUser, with card: String = "succeeds") async throws {
    let url = try #require(URL(string: address))
    let visit = Visit(screen: .payment, address: url, redirect: url, user: user)
    let page = try await visit.open()
    _ = try? await visit.paid(with: card, on: page)
  }

  /// Buys until the process kills itself at a checkpoint; at a checkpoint of a finish, finishes the purchase.
  private func buyAndDie(
    at checkpoint: String, in system: TestedSystem, folder: TemporaryFolder, as user: SimulatedUser
  )
    async throws
  {
    let process = try DeviceProcess(system, in: folder, killAt: checkpoint)
    process.send("observe")
    process.send("add \(ExampleProducts.coins)")
    let player = Task {
      try await pay(process, as: user)
      let bought = try await process.line { $0.first == "updated" && $0[2] == "purchased" }
      if checkpoint.hasPrefix("sdk.finish") { process.send("finish \(bought[1])") }
    }
    try await process.end.until { $0 != nil }
    #expect(process.end.value == .signal(SIGKILL), "\(process.lines.value)")
    player.cancel()
    _ = await player.result
  }

  /// Starts the app again on the folder.
  private func comeBack(_ start: Start, in system: TestedSystem, folder: TemporaryFolder) async throws -> DeviceProcess
  {
    var process = try DeviceProcess(system, in: folder)
    switch start {
    case .atOnce: break
    case .late:
      process.send("history")
      let line = try await process.line("history")[1]
      #expect(line == "success")
    case .twice:
      process.send("observe")
      process.send("history")
      _ = try await process.line("history")
      process.kill()
      try await process.end.until { $0 != nil }
      process = try DeviceProcess(system, in: folder)
    }
    process.send("observe")
    return process
  }

  /// Makes one more purchase. Every update that was pending before it has been delivered when it is done.
  private func buyOnce(_ process: DeviceProcess, as user: SimulatedUser) async throws -> String {
    let known = process.ids(.purchased)
    process.send("add \(ExampleProducts.season)")
    try await pay(process, as: user)
    let bought = try await process.line { $0.first == "updated" && $0[2] == "purchased" && !known.contains($0[1]) }
    process.send("finish \(bought[1])")
    _ = try await process.line("removed", bought[1])
    return bought[1]
  }

  @Test(
    "QUE-8: a device killed anywhere between add and finish delivers what was paid, once, and pays nothing twice",
    arguments: [
      "sdk.added", "sdk.journaled", "sdk.ordered", "sdk.presenting", "sdk.settled", "sdk.delivered",
      "sdk.finishJournaled", "sdk.finishSent",
    ], Start.allCases)
  func killed(at checkpoint: String, start: Start) async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let folder = try await signedInFolder(of: user, in: system)
      try await buyAndDie(at: checkpoint, in: system, folder: folder, as: user)
      let isPaid = !Self.beforePayment.contains(checkpoint) && checkpoint != "sdk.added"
      let saleCount = try await system.sales().count
      #expect(saleCount == (isPaid ? 1 : 0))

      let process = try await comeBack(start, in: system, folder: folder)
      if Self.beforePayment.contains(checkpoint) {
        let failed = try await process.line { $0.first == "updated" && $0[2] == "failed" }
        #expect(failed[4] == "cancelled")
        process.send("finish \(failed[1])")
        _ = try await process.line("removed", failed[1])
        #expect(process.ids(.purchased).isEmpty)
      } else if Self.afterPayment.contains(checkpoint) {
        let bought = try await process.line { $0.first == "updated" && $0[2] == "purchased" }
        #expect(bought[3] == "redelivered")
        process.send("finish \(bought[1])")
        _ = try await process.line("removed", bought[1])
      }
      let spoken = process.ids(.purchased).union(process.ids(.failed))
      let marker = try await buyOnce(process, as: user)
      #expect(process.ids(.purchased).union(process.ids(.failed)) == spoken.union([marker]))
      #expect(spoken.count == (isPaid && !Self.afterPayment.contains(checkpoint) || checkpoint == "sdk.added" ? 0 : 1))
      for order in try await system.orders(of: user) where order.state.stage == .paid {
        let finish = FaultProxy.Traffic.call(.finishOrder).where { $0.path.contains(order.id.uuidString.lowercased()) }
        try await system.network.until(finish, answered: 1)
      }
      try await process.quit()

      let orders = try await system.orders(of: user)
      #expect(orders.allSatisfy { $0.state.stage == .paid ? $0.state.finished : $0.state.stage == .cancelled })
      #expect(orders.count == (checkpoint == "sdk.added" || checkpoint == "sdk.journaled" ? 1 : 2))
      let secondSaleCount = try await system.sales().count
      #expect(secondSaleCount == (isPaid ? 2 : 1))
    }
  }

  @Test("QUE-8: a payment that is made after the device was killed is delivered when it comes back")
  func paidAfterTheKill() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let folder = try await signedInFolder(of: user, in: system)
      let process = try DeviceProcess(system, in: folder)
      process.send("observe")
      process.send("add \(ExampleProducts.coins)")
      let page = try await process.line("open")[1]
      process.kill()
      try await process.end.until { $0 != nil }
      try await pay(at: page, user)
      let back = try await comeBack(.atOnce, in: system, folder: folder)
      let bought = try await back.line { $0.first == "updated" && $0[2] == "purchased" }
      #expect(bought[3] == "redelivered")
      let uuidStrings = try await system.sales().map(\.orderID.uuidString)
      #expect(uuidStrings == [bought[1]])
      try await back.quit()
    }
  }

  @Test("QUE-8: a page that is still open after the device came back and gave the order up charges nothing")
  func paidTooLate() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let folder = try await signedInFolder(of: user, in: system)
      let process = try DeviceProcess(system, in: folder)
      process.send("observe")
      process.send("add \(ExampleProducts.coins)")
      let page = try await process.line("open")[1]
      process.kill()
      try await process.end.until { $0 != nil }
      let back = try await comeBack(.atOnce, in: system, folder: folder)
      let failed = try await back.line { $0.first == "updated" && $0[2] == "failed" }
      #expect(failed[4] == "cancelled")
      try await pay(at: page, user)
      let sales = try await system.sales()
      #expect(sales.isEmpty)
      try await back.quit()
    }
  }

  @Test("QUE-8: a payment whose money takes its time goes on after a kill, and is delivered when it comes")
  func processing() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let folder = try await signedInFolder(of: user, in: system)
      let process = try DeviceProcess(system, in: folder)
      process.send("observe")
      process.send("add \(ExampleProducts.coins)")
      try await pay(at: try await process.line("open")[1], user, with: "settles_later")
      process.kill()
      try await process.end.until { $0 != nil }
      let back = try await comeBack(.atOnce, in: system, folder: folder)
      try await system.network.until(.call(.order), answered: 1)
      #expect(back.ids(.failed).isEmpty && back.ids(.purchased).isEmpty)
      try await system.letTimePass(seconds: 11)
      _ = try await back.line { $0.first == "updated" && $0[2] == "purchased" }
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
      try await back.quit()
    }
  }

  @Test("ACC-15: processes that share a folder refresh once, and none is logged out")
  func sharedFolder() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let folder = try await signedInFolder(of: user, in: system)
      let processes = try (0..<3).map { _ in try DeviceProcess(system, in: folder) }
      for round in 1...3 {
        for process in processes {
          process.send("advance 700")
          process.send("history")
        }
        for process in processes {
          try await process.lines.until { lines in lines.count { $0.first == "history" } >= round }
        }
        #expect(system.network.count(FaultProxy.Traffic.refresh) == round)
      }
      for process in processes {
        #expect(
          process.lines.value.filter { $0.first == "history" } == Array(repeating: ["history", "success"], count: 3))
        try await process.quit()
      }
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }

  @Test("ACC-15: 100 tasks in 4 processes refresh at once, one answer is lost, and the session stays logged in")
  func storm() async throws {
    try await TestedSystem.run { system in
      let folder = try await signedInFolder(of: system.user(), in: system)
      let processes = try (0..<4).map { _ in try DeviceProcess(system, in: folder) }
      system.network.disturb(.refresh, with: .loseAnswer, times: 1)
      for process in processes {
        process.send("advance 700")
        process.send("storm 25")
      }
      var succeeded = 0
      for process in processes { succeeded += Int(try await process.line("storm")[1]) ?? 0 }
      let refreshes = system.network.count(.refresh)
      let sessions = try await system.sessionsAreRevoked()
      print("100 tasks in 4 processes: \(succeeded) answered, \(refreshes) refreshes, of sessions revoked: \(sessions)")
      #expect(succeeded == 100)
      #expect(refreshes == 2)
      #expect(sessions == [false])
      for process in processes {
        process.send("storefront")
        let line = try await process.line("storefront")[1]
        #expect(line == "NL")
        try await process.quit()
      }
    }
  }

  @Test("ACC-15: a process that is killed while it refreshes does not end the session of the others")
  func killedRefresh() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let folder = try await signedInFolder(of: user, in: system)
      let (first, second) = (try DeviceProcess(system, in: folder), try DeviceProcess(system, in: folder))
      // The store has rotated the token, but the requesting process dies before it gets the answer.
      let answer = Latch()
      system.network.disturb(.refresh, with: .holdAnswer(answer), times: 1)
      first.send("advance 700")
      first.send("history")
      try await system.network.until(.refresh, answered: 1)
      second.send("advance 700")
      second.send("history")
      first.kill()
      try await first.end.until { $0 != nil }
      let line = try await second.line("history")[1]
      #expect(line == "success")
      answer.open()
      second.send("advance 700")
      second.send("history")
      try await second.lines.until { lines in lines.count { $0 == ["history", "success"] } == 2 }
      try await second.quit()
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }
}
