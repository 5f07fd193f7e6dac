import Foundation
import OnsideAPI
import OnsideWallet
import Stellar
import Synchronization
import Testing

@Suite("With a vault", .timeLimit(.minutes(5)))
struct VaultTests {
  @Test("WAL-6 Ten wrong PINs destroy the vault's half, with waits before; the right PIN opens nothing afterwards")
  func destruction() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    var waits: [Int] = []
    for guess in 0..<10 {
      // Another process each time: nothing that is only in memory may be what limits.
      while let seconds = wait({ try wallet.restarted().signIn(pin: "10000\(guess)") }) {
        waits.append(seconds)
        vault.advance(by: TimeInterval(seconds))
      }
    }
    #expect(waits == [60, 300, 900, 3600, 3600, 28_800])
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "triesExhausted")
    #expect(try wallet.restarted().storage.status().isDestroyed)
  }

  /// Nil when the try was made, which has to find the PIN wrong.
  private func wait(_ body: () throws -> some Any) -> Int? {
    do {
      _ = try body()
      Issue.record("a wrong PIN opened")
    } catch let error as WalletError {
      #expect(error.kind == .wait)
      return error.secondsToWait
    } catch {
      #expect(error as? SecureStorageError == .invalidPin)
    }
    return nil
  }

  @Test("WAL-6 A right PIN in between starts the count anew")
  func countsAnew() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    for round in 0..<4 {
      for guess in 0..<3 { _ = try? wallet.service.signIn(pin: "1000\(round)\(guess)") }
      #expect(outcome { try wallet.service.signIn(pin: "908172") } == "ok")
    }
    let remaining = try wallet.service.storage.status().tries?.remaining
    #expect(remaining == 10)
  }

  @Test("WAL-6 The same wrong PIN is sent once; what is remembered ends with sign out and with a right PIN")
  func sameWrongPIN() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let before = vault.evaluations
    for _ in 0..<5 { #expect(outcome { try wallet.service.signIn(pin: "111111") } == "invalidPin") }
    #expect(vault.evaluations == before + 1)
    wallet.service.signOut()
    #expect(outcome { try wallet.service.signIn(pin: "111111") } == "invalidPin")
    #expect(vault.evaluations == before + 2)
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "ok")
    #expect(outcome { try wallet.service.signIn(pin: "111111") } == "invalidPin")
    #expect(vault.evaluations == before + 4)
  }

  @Test("WAL-4 A vault that cannot be reached, or lies, is never a wrong PIN")
  func faults() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    vault.faults.withLock { $0.lost = ["evaluate"] }
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "vaultUnreachable")
    vault.faults.withLock { $0 = .init(answersLost: ["evaluate"]) }
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "vaultUnreachable")
    vault.faults.withLock { $0 = .init(lies: true) }
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "vaultFault")
    #expect(outcome { try wallet.service.signIn(pin: "908173") } == "vaultFault")
    vault.faults.withLock { $0 = .init() }
    let elsewhere = TestWallet.service(wallet.folder, vault: MemoryVault(), settings: .small)
    #expect(outcome { try elsewhere.signIn(pin: "908172") } == "vaultUnknown")
    let alone = TestWallet.service(wallet.folder, vault: nil, settings: .small)
    #expect(outcome { try alone.signIn(pin: "908172") } == "vaultMissing")
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "ok")
  }

  @Test("WAL-6 A confirmation that is lost costs a try, no more")
  func lostConfirmation() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    vault.faults.withLock { $0.lost = ["confirm"] }
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "ok")
    let remaining = try wallet.service.storage.status().tries?.remaining
    #expect(remaining == 9)
    vault.faults.withLock { $0.lost = [] }
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "ok")
    let secondRemaining = try wallet.service.storage.status().tries?.remaining
    #expect(secondRemaining == 10)
  }

  @Test(
    "Sign up that loses an answer or a call leaves nothing behind",
    arguments: ["enrol", "evaluate", "seal", "confirm"], [true, false])
  func lostSignUp(call: String, answerOnly: Bool) throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    vault.faults.withLock { $0 = answerOnly ? .init(answersLost: [call]) : .init(lost: [call]) }
    #expect(outcome { try wallet.service.signUp(userKeyPair: .random(), pin: "908172") } == "vaultUnreachable")
    #expect(try !wallet.service.userIsSignedUp)
    #expect(!wallet.service.userIsSignedIn)
    let left = try FileManager.default.contentsOfDirectory(atPath: wallet.secrets.path(percentEncoded: false))
    #expect(left == [])
    vault.faults.withLock { $0 = .init() }
    #expect(outcome { try wallet.service.signUp(userKeyPair: .random(), pin: "908172") } == "ok")
  }

  @Test("WAL-6 A vault that was restored allows one try; the right PIN enrols anew at once")
  func restored() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    let address = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    vault.restore()
    let remaining = try wallet.service.storage.status().tries?.remaining
    #expect(remaining == 1)
    let actualAddress = try wallet.restarted().signIn(pin: "908172")
    #expect(actualAddress == address)
    let status = try wallet.restarted().storage.status()
    #expect(status.tries?.remaining == 10)
    #expect(status.epoch == 2)
    let secondAddress = try wallet.restarted().signIn(pin: "908172")
    #expect(secondAddress == address)
    vault.restore()
    #expect(outcome { try wallet.restarted().signIn(pin: "1") } == "invalidPin")
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "triesExhausted")
  }

  @Test("The tenth try may be the right one")
  func tenthTry() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    let address = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    for guess in 0..<9 {
      vault.advance(by: 100_000)
      #expect(outcome { try wallet.service.signIn(pin: "10000\(guess)") } == "invalidPin")
    }
    vault.advance(by: 100_000)
    let actualAddress = try wallet.service.signIn(pin: "908172")
    #expect(actualAddress == address)
    let secondAddress = try wallet.service.signIn(pin: "908172")
    #expect(secondAddress == address)
  }

  @Test("WAL-8 Words bring the key back after destruction, under a new PIN")
  func recovery() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    let words = Mnemonic.random()
    let address = try wallet.service.signUp(words: words, pin: PIN("908172"))
    let text = try wallet.service.words(pin: PIN("908172")).withWords { Array($0) }
    #expect(text == words.withWords { Array($0) })
    try wallet.service.destroy()
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "userNotFound")
    #expect(vault.states == [.destroyed])
    let actualAddress = try wallet.service.recover(words: words, pin: PIN("271809"))
    #expect(actualAddress == address)
    let secondAddress = try wallet.restarted().signIn(pin: "271809")
    #expect(secondAddress == address)
    #expect(
      kind { try wallet.service.recover(words: .random(), pin: PIN("1")) } == .alreadySignedUp,
      "another wallet's words replace nothing")
    let thirdAddress = try wallet.service.recover(words: words, pin: PIN("314152"))
    #expect(thirdAddress == address)
    #expect(outcome { try wallet.restarted().signIn(pin: "271809") } == "invalidPin")
    try Data("rubbish".utf8).write(to: wallet.item)
    let fourthAddress = try wallet.service.recover(words: .random(), pin: PIN("908172"))
    #expect(fourthAddress != address)
  }

  @Test("A wallet that was made from a key has no words")
  func noWords() throws {
    let wallet = try TestWallet()
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    #expect(kind { try wallet.service.words(pin: PIN("908172")) } == .noWords)
  }
}
