import Foundation
import OnsideAPI
import OnsideVault
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreVault

@Suite(.timeLimit(.minutes(5))) struct VaultTests {
  private let store: TestStore
  private let wallet: WalletDevice

  init() async throws {
    store = try await TestStore()
    wallet = WalletDevice(store: store.core, seed: 1)
  }

  /// Another process on the same database.
  private func restarted() async throws -> TestStore { try await TestStore(in: store.folder, clock: store.clock) }

  @Test("WAL-5: the same PIN gives the same bytes at every sign-in, another PIN others, and the proof is right")
  func outputs() async throws {
    try await wallet.signUp()
    let first = try await wallet.evaluate("1234")
    let value = try await wallet.evaluate("1234")
    #expect(value == first)
    let secondValue = try await wallet.evaluate("1235")
    #expect(secondValue != first)
  }

  @Test("WAL-6: the store is started anew between any two tries, and no try is free: the tenth deletes the key")
  func restarts() async throws {
    try await wallet.signUp()
    for left in stride(from: 9, through: 0, by: -1) {
      let wallet = wallet.with(try await restarted().core)
      try await wallet.evaluate("0000")
      let state = try await wallet.state()
      #expect(state.triesRemaining == left)
      if state.retryAfter > 0 {
        let again = wallet.with(try await restarted().core)
        let actualProblem = await problem { try await again.evaluate("0000") }
        #expect(actualProblem == .vaultWait)
        let triesRemaining = try await again.state().triesRemaining
        #expect(triesRemaining == left, "a refused try is not counted")
      }
      store.clock.advance(by: .seconds(state.retryAfter))
    }
    let actualState = try await wallet.state().state
    #expect(actualState == .destroyed)
    let secondProblem = await problem { try await wallet.evaluate() }
    #expect(secondProblem == .vaultDestroyed)
    let thirdProblem = await problem { try await wallet.confirm() }
    #expect(thirdProblem == .vaultDestroyed)
  }

  @Test("the first four tries may come within the same millisecond: none of the first three has a wait after it")
  func sameMillisecond() async throws {
    try await wallet.signUp()
    store.clock.advance(by: .microseconds(300))
    for _ in 0..<4 { try await wallet.evaluate("0000") }
    let actualProblem = await problem { try await wallet.evaluate("0000") }
    #expect(actualProblem == .vaultWait)
  }

  @Test("WAL-6: parallel tries over two processes are counted one by one: four before the first wait")
  func parallel() async throws {
    try await wallet.signUp()
    let wallets = [wallet, wallet.with(try await restarted().core)]
    let evaluated = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { await problem { try await wallets[number % 2].evaluate("\(number)") } == nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(evaluated == 4)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 6)
  }

  @Test("WAL-6: with every wait waited for, 200 parallel tries at a time come to ten evaluations in all")
  func parallelToTheEnd() async throws {
    try await wallet.signUp()
    let wallets = [wallet, wallet.with(try await restarted().core)]
    var evaluated = 0
    for _ in 0..<12 {
      evaluated += await withTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask { await problem { try await wallets[number % 2].evaluate("\(number)") } == nil }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      store.clock.advance(by: .seconds(8 * 3600))
    }
    #expect(evaluated == 10)
    let state = try await wallet.state().state
    #expect(state == .destroyed)
  }

  @Test("WAL-6: a right PIN is confirmed, and the count begins anew; a lost confirmation costs one try")
  func confirmation() async throws {
    try await wallet.signUp()
    for _ in 0..<3 { try await wallet.evaluate("0000") }
    try await wallet.evaluate("1234")
    let triesRemaining = try await wallet.confirm().triesRemaining
    #expect(triesRemaining == 10)
    try await wallet.evaluate("1234")
    let secondTriesRemaining = try await wallet.state().triesRemaining
    #expect(secondTriesRemaining == 9)
    let actualProblem = await problem { try await wallet.confirm(tag: Array(repeating: 9, count: 32)) }
    #expect(actualProblem == .vaultTagMismatch)
    let thirdTriesRemaining = try await wallet.state().triesRemaining
    #expect(thirdTriesRemaining == 9)
  }

  @Test("WAL-6: what is no element is refused and not counted", arguments: [0, 1, 31, 32, 33])
  func notCounted(count: Int) async throws {
    try await wallet.signUp()
    let bytes = [UInt8](repeating: count == 32 ? 0 : 255, count: count)
    let code = await problem {
      _ = try await store.core.vault.evaluate(bytes, for: wallet.enrolment, by: wallet.signature())
    }
    #expect(code == .vaultElementInvalid)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 10)
  }

  @Test("WAL-6: a request that is repeated, whatever was answered, is refused and not counted")
  func replays() async throws {
    try await wallet.signUp()
    let (signature, element) = (try wallet.signature(), wallet.blinded("1234").element)
    _ = try await store.core.vault.evaluate(element, for: wallet.enrolment, by: signature)
    let again = await problem { _ = try await store.core.vault.evaluate(element, for: wallet.enrolment, by: signature) }
    #expect(again == .vaultReplayed)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 9)
    for _ in 2...4 { try await wallet.evaluate("0000") }
    // Refused during the wait, and repeated after it.
    let refused = try wallet.signature()
    let actualProblem = await problem {
      _ = try await store.core.vault.evaluate(element, for: wallet.enrolment, by: refused)
    }
    #expect(actualProblem == .vaultWait)
    store.clock.advance(by: .seconds(61))
    let secondProblem = await problem {
      _ = try await store.core.vault.evaluate(element, for: wallet.enrolment, by: refused)
    }
    #expect(secondProblem == .vaultReplayed)
    let secondTriesRemaining = try await wallet.state().triesRemaining
    #expect(secondTriesRemaining == 6)
  }

  @Test("WAL-6: a stranger's requests are answered as for a wallet that is not there, and burn no try")
  func strangers() async throws {
    try await wallet.signUp()
    let stranger = WalletDevice(store: store.core, seed: 1)
    let actualProblem = await problem { try await stranger.evaluate() }
    #expect(actualProblem == .notFound)
    let secondProblem = await problem { _ = try await stranger.state() }
    #expect(secondProblem == .notFound)
    let thirdProblem = await problem { try await stranger.destroy() }
    #expect(thirdProblem == .notFound)
    let fourthProblem = await problem { try await stranger.enrol() }
    #expect(fourthProblem == .notFound)
    let fifthProblem = await problem { try await stranger.with(seed: 2).enrol(replacing: wallet.enrolment) }
    #expect(fifthProblem == .notFound)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 10)
  }

  @Test("WAL-6: the store's clock turned back gives no try, no shorter wait, and lets no old request in again")
  func clockTurnedBack() async throws {
    try await wallet.signUp()
    let recorded = try wallet.signature()
    _ = try await store.core.vault.evaluate(wallet.blinded("0").element, for: wallet.enrolment, by: recorded)
    for _ in 2...4 { try await wallet.evaluate("0000") }
    store.clock.advance(by: .seconds(1200))
    try await wallet.confirm()
    for _ in 1...4 { try await wallet.evaluate("0000") }
    store.clock.advance(by: .seconds(-1200))
    let old = await problem {
      _ = try await store.core.vault.evaluate(wallet.blinded("0").element, for: wallet.enrolment, by: recorded)
    }
    #expect(old == .vaultReplayed, "its nonce is forgotten, its time is not")
    store.clock.advance(by: .seconds(-172_800))
    let actualProblem = await problem { try await wallet.evaluate() }
    #expect(actualProblem != nil)
    store.clock.advance(by: .seconds(172_800 + 1200))
    let secondProblem = await problem { try await wallet.evaluate() }
    #expect(secondProblem == .vaultWait)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 6)
  }

  @Test("WAL-6: non-canonical texts of an element are refused and not counted")
  func nonCanonical() async throws {
    try await wallet.signUp()
    var element = wallet.blinded("1234").element
    element[31] |= 0x80
    let code = await problem {
      _ = try await store.core.vault.evaluate(element, for: wallet.enrolment, by: wallet.signature())
    }
    #expect(code == .vaultElementInvalid)
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 10)
  }

  @Test("WAL-6: a store whose clock was a day ahead once says by which time its owner signs, and lets that in")
  func clockAhead() async throws {
    try await wallet.signUp()
    store.clock.advance(by: .seconds(86_400))
    try await wallet.evaluate("0000")
    try await wallet.confirm()
    store.clock.advance(by: .seconds(-86_400))
    var time: Int64?
    do {
      _ = try await wallet.state()
    } catch let error as VaultError {
      #expect(error.code == .vaultReplayed)
      time = error.serverTime?.millisecondsSince1970
    }
    let ahead = try #require(time) - store.clock.now().millisecondsSince1970
    #expect(85_000_000...86_400_000 ~= ahead)
    let signature = try wallet.signature(ahead: ahead)
    _ = try await store.core.vault.evaluate(wallet.blinded("0").element, for: wallet.enrolment, by: signature)
    let again = await problem {
      _ = try await store.core.vault.evaluate(wallet.blinded("0").element, for: wallet.enrolment, by: signature)
    }
    #expect(again == .vaultReplayed)
  }

  @Test("A request is remembered until its time alone refuses it, and a minute longer at most")
  func forgetting() async throws {
    func remembered() async throws -> Int {
      try await store.core.dependencies.database.read { try $0.rows("SELECT nonce FROM vault_nonces").count }
    }
    try await wallet.signUp()
    let first = try await remembered()
    store.clock.advance(by: .seconds(2 * VaultRules.clockTolerance - 1))
    _ = try await wallet.state()
    #expect(first > 1)
    let actualRemembered = try await remembered()
    #expect(actualRemembered == first + 1)
    store.clock.advance(by: .seconds(61))
    _ = try await wallet.state()
    let secondRemembered = try await remembered()
    #expect(secondRemembered == 2)
  }

  @Test(
    "WAL-7: a change of PIN puts the new key into use and deletes the old one in one write; every step may be repeated")
  func change() async throws {
    try await wallet.signUp()
    let new = wallet.with(seed: 2)
    for _ in 0..<2 {
      let epoch = try await new.enrol(replacing: wallet.enrolment).epoch
      #expect(epoch == 2)
    }
    let expected = try await new.evaluate("9876")
    for _ in 0..<2 { try await new.seal() }
    let actualProblem = await problem { try await new.evaluate() }
    #expect(actualProblem == .vaultNotCurrent)
    try await wallet.evaluate()
    for _ in 0..<2 {
      let actualState = try await new.confirm().state
      #expect(actualState == .confirmed)
    }
    let state = try await wallet.state().state
    #expect(state == .replaced)
    let secondProblem = await problem { try await wallet.evaluate() }
    #expect(secondProblem == .vaultReplaced)
    let value = try await new.evaluate("9876")
    #expect(value == expected)
    let thirdProblem = await problem { try await wallet.with(seed: 3).enrol(replacing: wallet.enrolment) }
    #expect(thirdProblem == .vaultReplaced)
  }

  @Test("WAL-7: of two changes of PIN the later wins: the earlier cannot be confirmed behind its back")
  func twoChanges() async throws {
    try await wallet.signUp()
    let changes = [wallet.with(seed: 2), wallet.with(seed: 3)]
    for change in changes {
      try await change.enrol(replacing: wallet.enrolment)
      try await change.seal()
    }
    let actualProblem = await problem { try await changes[0].confirm() }
    #expect(actualProblem == .notFound)
    try await wallet.evaluate()
    try await changes[1].confirm()
    let secondProblem = await problem { _ = try await changes[0].state() }
    #expect(secondProblem == .notFound)
    let state = try await wallet.state().state
    #expect(state == .replaced)
    try await changes[1].evaluate()
  }

  @Test("An unconfirmed record is deleted after a day; a confirmed one stays")
  func unconfirmed() async throws {
    try await wallet.signUp()
    let (open, sealed) = (wallet.with(seed: 2), wallet.with(seed: 3))
    try await open.enrol()
    try await sealed.enrol()
    try await sealed.seal()
    store.clock.advance(by: .seconds(86_399))
    try await store.core.vault.maintain()
    let state = try await open.state().state
    #expect(state == .open)
    store.clock.advance(by: .seconds(1))
    try await store.core.vault.maintain()
    for gone in [open, sealed] {
      let actualProblem = await problem { _ = try await gone.state() }
      #expect(actualProblem == .notFound)
    }
    let secondState = try await wallet.state().state
    #expect(secondState == .confirmed)
    let nonces = try await store.core.dependencies.database.read {
      try $0.rows("SELECT DISTINCT record_id FROM vault_nonces")
    }
    #expect(nonces.count == 1)
  }

  @Test("WAL-6: when the count cannot be written, nothing is evaluated and nothing is lost")
  func failingDisk() async throws {
    try await wallet.signUp()
    let database = store.core.dependencies.database
    try await database.refuseUpdates(of: "tries", in: "vault_records")
    let actualProblem = await problem { try await wallet.evaluate() }
    #expect(actualProblem == .internalError)
    try await database.takeUpdates(in: "vault_records")
    let triesRemaining = try await wallet.state().triesRemaining
    #expect(triesRemaining == 10)
  }
}
