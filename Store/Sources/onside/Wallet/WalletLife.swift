import ArgumentParser
import Foundation
import OnsideStore
import OnsideWallet
import Stellar
import StoreAccounts

/// The steps of `onside wallet demo`.
struct WalletLife {
  let folder: URL
  let store: URL
  let clock: SandboxClockSetting

  private var item: URL { folder.appending(path: "wallet/wallet.item") }

  /// A new object each time: nothing that is only in memory may be what a step proves.
  func service() throws -> AuthService {
    let storage = SecureStorage(
      storage: FileStorage(folder: folder.appending(path: "wallet")),
      secrets: FileDeviceSecrets(folder: folder.appending(path: "device")), vault: try StoreVault(store: store),
      settings: WalletSettings(network: .test))
    return AuthService(storage: storage)
  }

  func walk() async throws {
    let words = Mnemonic.random()
    let address = try words.keyPair().address
    chapter("Sign up and sign in")
    try await signUp(words, address: address)
    chapter("Another PIN")
    try await changePIN(address)
    chapter("Login to the running store with the wallet (SEP-10)")
    try await logIn(address)
    chapter("A thief with the device guesses")
    try await destroyByGuessing()
    chapter("Recovery by the words")
    try await recover(words, address: address)
  }

  private func chapter(_ title: String) { print("\n\(title)") }

  private func signUp(_ words: Mnemonic, address: String) async throws {
    let service = try service()
    try prove(
      "Signed up, and signed in: \(address)", try await service.signUp(words: words, pin: PIN("908172")) == address)
    try prove("The store counts the tries", try service.storage.status().limit == .server)
    try prove(
      "A second sign up is refused",
      await failure { try await self.service().signUp(words: words, pin: PIN("718260")) } == "alreadySignedUp")
    service.signOut()
    try prove("Signed out", !service.userIsSignedIn)
    try prove("The right PIN signs in", try await self.service().signIn(pin: PIN("908172")) == address)
    let signature = try await self.service().withSigningKey(pin: PIN("908172")) { $0.signature(ofMessage: "hello") }
    try prove(
      "A message is signed, and the address verifies it",
      try words.keyPair().account.isValid(signature, ofMessage: "hello"))
  }

  private func changePIN(_ address: String) async throws {
    let old = try Data(contentsOf: item)
    try await service().changePIN(from: PIN("908172"), to: PIN("271809"))
    try prove("After a change the new PIN signs in", try await service().signIn(pin: PIN("271809")) == address)
    try prove("The old PIN does not", await failure { try await service().signIn(pin: PIN("908172")) } == "invalidPin")
    let new = try Data(contentsOf: item)
    try old.write(to: item)
    let outcome = await failure { try await service().signIn(pin: PIN("908172")) }
    try prove("The old file, put back, opens nothing with the old PIN (\(outcome))", outcome == "deviceSecretMissing")
    var bad = new
    bad[200] ^= 1
    try bad.write(to: item)
    try prove(
      "A changed bit is damage, not a wrong PIN",
      await failure { try await service().signIn(pin: PIN("271809")) } == "damaged")
    try new.write(to: item)
    _ = try await service().signIn(pin: PIN("271809"))
  }

  private func destroyByGuessing() async throws {
    var waits: [Int] = []
    for guess in 0..<10 {
      while let seconds = try await secondsToWait(guess) {
        waits.append(seconds)
        try await clock.advance(by: TimeInterval(seconds))
      }
    }
    // The store's clock goes on while the demonstration is at work.
    let rule = [60, 300, 900, 3600, 3600, 28_800]
    try prove(
      "Ten wrong PINs: the store has the thief wait \(waits.map(String.init).joined(separator: ", ")) s between them",
      waits.count == rule.count && zip(waits, rule).allSatisfy { ($1 - 30...$1).contains($0) })
    try prove(
      "The store has destroyed its half: the right PIN opens nothing",
      await failure { try await service().signIn(pin: PIN("271809")) } == "triesExhausted")
  }

  /// Nil when the wrong PIN was tried.
  private func secondsToWait(_ guess: Int) async throws -> Int? {
    do {
      _ = try await service().signIn(pin: PIN("40030\(guess)"))
      throw CommandFailure("a wrong PIN opened the wallet")
    } catch let error as WalletError where error.kind == .wait {
      return error.secondsToWait
    } catch SecureStorageError.invalidPin {
      return nil
    }
  }

  private func recover(_ words: Mnemonic, address: String) async throws {
    try prove(
      "The 24 words bring the same address back",
      try await service().recover(words: words, pin: PIN("817263")) == address)
    try prove("The new PIN signs in", try await service().signIn(pin: PIN("817263")) == address)
    try prove(
      "The wallet logs in as before: the key is the same, and so is the store's account",
      try await exchange(pin: "817263").hasAccount == true)
    try await service().destroy()
    try prove(
      "Destroyed: there is no wallet",
      await failure { try await service().signIn(pin: PIN("817263")) } == "userNotFound")
  }

  func prove(_ statement: String, _ isTrue: Bool) throws {
    print("\(isTrue ? "ok  " : "FAIL")  \(statement)")
    if !isTrue { throw ExitCode.failure }
  }

  /// The name of the error that a call ends with; "none" without.
  func failure(_ body: () async throws -> some Any) async -> String {
    do {
      _ = try await body()
      return "none"
    } catch let error as WalletError {
      return error.kind.name
    } catch let error as WebLoginError {
      return error.kind.name
    } catch {
      return error as? SecureStorageError == .invalidPin ? "invalidPin" : "userNotFound"
    }
  }
}
