import Foundation
import OnsideWallet
import Stellar
import Testing

/// With a vault, and without: the published behaviour is the same.
@Suite("Signing up, in and out", .timeLimit(.minutes(5)))
struct AuthServiceTests {
  static let ways = [true, false]

  @Test("WAL-1 Sign up returns the address and signs in", arguments: ways)
  func signUp(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    let pair = SigningKeyPair.random()
    #expect(try !wallet.service.userIsSignedUp)
    #expect(!wallet.service.userIsSignedIn)
    let address = try wallet.service.signUp(userKeyPair: pair, pin: "908172")
    #expect(address == pair.address)
    #expect(try wallet.service.userIsSignedUp)
    #expect(wallet.service.userIsSignedIn)
    #expect(wallet.service.signedInUserAddress == pair.address)
  }

  @Test("WAL-1 Sign up refuses when a wallet exists, and the first key stays", arguments: ways)
  func signUpTwice(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    let pair = SigningKeyPair.random()
    _ = try wallet.service.signUp(userKeyPair: pair, pin: "908172")
    #expect(
      kind { try wallet.restarted().signUp(userKeyPair: .random(), pin: "1") } == .alreadySignedUp)
    let address = try wallet.restarted().signIn(pin: "908172")
    #expect(address == pair.address)
  }

  @Test("WAL-2 Sign in returns the address; the state follows from what is stored and the session", arguments: ways)
  func signIn(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    let address = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let service = wallet.restarted()
    #expect(try service.userIsSignedUp)
    #expect(service.signedInUserAddress == nil)
    let actualAddress = try service.signIn(pin: "908172")
    #expect(actualAddress == address)
    #expect(service.signedInUserAddress == address)
    let other = AuthService(storage: service.storage)
    #expect(other.signedInUserAddress == address, "services on one storage share who is signed in")
    try FileManager.default.removeItem(at: wallet.item)
    #expect(service.signedInUserAddress == nil)
    #expect(try !service.userIsSignedUp)
  }

  @Test("WAL-3 The key pair comes with the PIN only, also when signed out", arguments: ways)
  func keyPair(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    let pair = SigningKeyPair.random()
    _ = try wallet.service.signUp(userKeyPair: pair, pin: "908172")
    wallet.service.signOut()
    #expect(!wallet.service.userIsSignedIn)
    #expect(outcome { try wallet.service.userKeyPair(pin: "908173") } == "invalidPin")
    let found = try wallet.service.userKeyPair(pin: "908172")
    #expect(found.account == pair.account)
    #expect(pair.account.isValid(found.signature(of: [1, 2, 3]), of: [1, 2, 3]))
    #expect(!wallet.service.userIsSignedIn)
    let signature = try wallet.service.withSigningKey(pin: "908172") { $0.signature(of: [4]) }
    #expect(pair.account.isValid(signature, of: [4]))
  }

  @Test("WAL-4 A wrong PIN is invalidPin, no wallet is userNotFound", arguments: ways)
  func wrongPIN(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    #expect(outcome { try wallet.service.signIn(pin: "908172") } == "userNotFound")
    #expect(outcome { try wallet.service.userKeyPair(pin: "908172") } == "userNotFound")
    #expect(outcome { try wallet.service.changePIN(from: PIN("1"), to: PIN("2")) } == "userNotFound")
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    #expect(outcome { try wallet.service.signIn(pin: "908173") } == "invalidPin")
    #expect(outcome { try wallet.service.signIn(pin: "") } == "invalidPin")
    #expect(outcome { try wallet.service.changePIN(from: PIN("1"), to: PIN("2")) } == "invalidPin")
  }

  @Test("WAL-5 The state says what limits the tries")
  func status() throws {
    let alone = try TestWallet()
    _ = try alone.service.signUp(userKeyPair: .random(), pin: "908172")
    let limit = try alone.service.storage.status().limit
    #expect(limit == .attemptsNotLimited)
    let tries = try alone.service.storage.status().tries
    #expect(tries == nil)
    let guarded = try TestWallet(vault: MemoryVault())
    _ = try guarded.service.signUp(userKeyPair: .random(), pin: "908172")
    #expect(outcome { try guarded.service.signIn(pin: "1") } == "invalidPin")
    let status = try guarded.service.storage.status()
    #expect(status.limit == .server)
    #expect(status.tries?.remaining == 9)
  }

  @Test("The forms that wait do the same")
  func waiting() async throws {
    let wallet = try TestWallet(vault: MemoryVault())
    let pair = SigningKeyPair.random()
    let address = try await wallet.service.signUp(userKeyPair: pair, pin: PIN("908172"))
    #expect(address == pair.address)
    wallet.service.signOut()
    let secondAddress = try await wallet.service.signIn(pin: PIN("908172"))
    #expect(secondAddress == pair.address)
    let thirdAddress = try await wallet.service.userKeyPair(pin: PIN("908172")).address
    #expect(thirdAddress == pair.address)
    try await wallet.service.changePIN(from: PIN("908172"), to: PIN("271809"))
    await #expect(throws: SecureStorageError.invalidPin) { try await wallet.service.signIn(pin: PIN("908172")) }
    let withSigningKey = try await wallet.service.withSigningKey(pin: PIN("271809")) { $0.address }
    #expect(withSigningKey == pair.address)
    try await wallet.service.destroy()
    #expect(try !wallet.service.userIsSignedUp)
  }
}
