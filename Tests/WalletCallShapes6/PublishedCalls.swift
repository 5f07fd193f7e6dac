import OnsideWallet

// Every call shape that SwiftBasicPay's apps make of `AuthService` and `SecureStorage`, with one import. It only has to
// compile, in the language modes of Swift 5 and 6; nothing of it runs.

/// A view's model: it keeps the service, and calls it without `await`, also in `async` functions.
@MainActor
final class AuthModel {
  private let authService = AuthService()
  private var newUserKeypair: SigningKeyPair = .random()
  private(set) var hasUser = false
  private(set) var failure: String?
  private(set) var address: String?

  init() {
    do {
      hasUser = try authService.userIsSignedUp
    } catch {
      failure = error.localizedDescription
    }
  }

  func signUp(pin: String) async {
    do {
      let address = try authService.signUp(userKeyPair: newUserKeypair, pin: pin)
      let sameAddress: String = newUserKeypair.address
      self.address = address == sameAddress ? address : nil
    } catch {
      failure = error.localizedDescription
    }
  }

  func logIn(pin: String) async {
    do {
      let address: String = try authService.signIn(pin: pin)
      self.address = address
    } catch SecureStorageError.userNotFound {
      hasUser = false
    } catch SecureStorageError.invalidPin {
      failure = "wrong PIN"
    } catch {
      failure = error.localizedDescription
    }
  }

  func pay(pin: String) async throws -> [UInt8] {
    let userKeyPair: SigningKeyPair = try authService.userKeyPair(pin: pin)
    return userKeyPair.signature(ofMessage: "hello")
  }

  func logOut() async { authService.signOut() }

  var state: (isSignedUp: Bool, isSignedIn: Bool, address: String?) {
    get throws { (try authService.userIsSignedUp, authService.userIsSignedIn, authService.signedInUserAddress) }
  }
}

/// Blocking functions, away from any actor.
enum BlockingCalls {
  static func life(_ service: AuthService, pair: SigningKeyPair, pin: String) throws -> String? {
    let address: String = try service.signUp(userKeyPair: pair, pin: pin)
    service.signOut()
    guard try service.signIn(pin: pin) == address else { return nil }
    let found: SigningKeyPair = try service.userKeyPair(pin: pin)
    return found.address
  }
}

/// The static calls, in functions with and without `async`.
enum StaticCalls {
  static func keep(_ pair: SigningKeyPair, pin: String) throws -> String? {
    guard try !SecureStorage.hasUser else { return nil }
    try SecureStorage.storeUserKeyPair(userSigningKeyPair: pair, pin: pin)
    let found: SigningKeyPair = try SecureStorage.getUserKeyPair(pin: pin)
    let address: String = found.address
    return address
  }

  static func keepLater(_ pair: SigningKeyPair, pin: String) async throws -> String {
    if try SecureStorage.hasUser { try SecureStorage.deleteAll() }
    try SecureStorage.storeUserKeyPair(userSigningKeyPair: pair, pin: pin)
    return try SecureStorage.getUserKeyPair(pin: pin).address
  }
}

/// What this project adds: calls that do not block, for PINs that were never text.
enum AddedCalls {
  static func life(_ service: AuthService, pair: SigningKeyPair, pin: PIN) async throws -> String {
    _ = try await service.signUp(userKeyPair: pair, pin: pin)
    _ = try await service.signIn(pin: pin)
    return try await service.userKeyPair(pin: pin).address
  }
}
