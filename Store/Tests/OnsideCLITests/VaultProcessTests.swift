import Foundation
import OnsideAPI
import OnsideVault
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

/// The vault of stores that really run, as processes of their own.
@Suite(.timeLimit(.minutes(5))) struct VaultProcessTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test("WAL-6: parallel wrong PINs over two store processes: four evaluated and counted before the first wait")
  func parallel() async throws {
    let (first, address) = try await onside.serve()
    let (second, other) = try await onside.serve()
    var wallet = WalletClient(address: address)
    try await wallet.signUp()
    var beside = wallet
    beside.address = other
    let wallets = [wallet, beside]
    let evaluated = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { (try? await wallets[number % 2].evaluate("\(number)")) ?? false }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(evaluated == 4)
    wallet.address = other
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 6)
    for program in [first, second] { program.send(SIGKILL) }
  }

  @Test("WAL-6: a store that is killed between the count and the answer has counted, at every try")
  func killed() async throws {
    let (first, address) = try await onside.serve()
    var wallet = WalletClient(address: address)
    try await wallet.signUp()
    first.send(SIGKILL)
    await first.ended()
    for left in [9, 8, 7] {
      let (dying, itsAddress) = try await onside.serve(killAt: "vault.counted")
      wallet.address = itsAddress
      await #expect(throws: (any Error).self) { try await wallet.evaluate("0000") }
      await dying.ended()
      #expect(dying.status == 128 + SIGKILL)
      let (living, address) = try await onside.serve()
      wallet.address = address
      let state = try await wallet.state()
      #expect(state.triesRemaining == left && !state.enrolsAnew)
      living.send(SIGKILL)
      await living.ended()
    }
  }

  @Test(
    "WAL-6: a store whose clock is two days behind gives no try before the wait is over",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/faketime"), "Debian's faketime is missing"))
  func faketime() async throws {
    let (first, address) = try await onside.serve()
    var wallet = WalletClient(address: address)
    try await wallet.signUp()
    for number in 0..<4 { #expect(try await wallet.evaluate("\(number)")) }
    first.send(SIGKILL)
    await first.ended()
    // Without it the next process would go on with the time of this one (STO-17).
    let database = try SQLiteDatabase.open(at: onside.folder.file("onside.sqlite"), now: Date())
    try await database.write { try $0.execute("DELETE FROM settings WHERE name = 'clock_reference'") }
    await database.close()
    let library = try #require(
      FileManager.default.subpaths(atPath: "/usr/lib")?.first { $0.hasSuffix("faketime/libfaketimeMT.so.1") })
    let (late, its) = try await onside.serve(environment: ["LD_PRELOAD": "/usr/lib/\(library)", "FAKETIME": "-2d"])
    wallet.address = its
    for ahead in [0, -172_800.0] {
      wallet.ahead = ahead
      do {
        _ = try await wallet.evaluate("4")
        Issue.record("a fifth try was evaluated")
      } catch let refusal as StoreClient.Refusal {
        // By the time that the record has seen it is a wait; by the clock that went back it is refused.
        #expect(refusal.status == (ahead == 0 ? 429 : 409), "\(refusal.body)")
      }
    }
    late.send(SIGKILL)
    await late.ended()
    let (last, back) = try await onside.serve()
    wallet.address = back
    wallet.ahead = 0
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 6)
    last.send(SIGKILL)
  }
}
