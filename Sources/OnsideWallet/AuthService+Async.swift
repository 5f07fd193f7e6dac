import Dispatch
public import Stellar

/// The same without blocking the caller's thread, for PINs as ``PIN``. The published calls take a `String` and have no
/// `async` form: an `async` function would choose that one, and the call would not compile without `await`.
extension AuthService {
  /// Stores the key pair under a PIN and signs in. Returns the address.
  public func signUp(userKeyPair: SigningKeyPair, pin: PIN) async throws -> String {
    try await detached { try $0.signUp(userKeyPair: userKeyPair, pin: pin) }
  }

  /// The signing key pair; prefer ``withSigningKey(pin:_:)-(PIN,_)``.
  public func userKeyPair(pin: PIN) async throws -> SigningKeyPair {
    try await detached { try $0.userKeyPair(pin: pin) }
  }

  /// Signs up with the key that the words give.
  public func signUp(words: Mnemonic, pin: PIN) async throws -> String {
    try await detached { try $0.signUp(words: words, pin: pin) }
  }

  /// Signs in with a PIN that was never text.
  public func signIn(pin: PIN) async throws -> String { try await detached { try $0.signIn(pin: pin) } }

  /// Lends the signing key; it is overwritten when `body` is done and keeps no copy.
  public func withSigningKey<Result: Sendable>(
    pin: PIN, _ body: @escaping @Sendable (SigningKeyPair) throws -> Result
  ) async throws -> Result {
    try await detached { try $0.withSigningKey(pin: pin, body) }
  }

  /// Puts another PIN in the place of one.
  public func changePIN(from old: PIN, to new: PIN) async throws {
    try await detached { try $0.changePIN(from: old, to: new) }
  }

  /// Makes the wallet anew from its words, under a new PIN, and signs in.
  public func recover(words: Mnemonic, pin: PIN) async throws -> String {
    try await detached { try $0.recover(words: words, pin: pin) }
  }

  /// Destroys the wallet.
  public func destroy() async throws { try await detached { try $0.destroy() } }

  /// On a thread that may block: Argon2id, the lock, the disk and the vault all do.
  private func detached<Result: Sendable>(
    _ body: @escaping @Sendable (AuthService) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async {
        continuation.resume(with: Swift.Result { try body(self) })
      }
    }
  }
}
