import Dispatch
public import Stellar

/// Calls that do not block the caller's thread, with PINs as ``PIN``. The work runs on a thread of a global dispatch
/// queue; cancelling the task does not interrupt it.
///
/// The published calls take a `String` and have no `async` form: in an `async` function Swift would choose that form,
/// and the published call would not compile without `await`.
extension AuthService {
  /// Signs up: stores the key pair under a PIN, signs in and returns the address.
  ///
  /// ```swift
  /// _ = try await service.signUp(userKeyPair: pair, pin: pin)
  /// _ = try await service.signIn(pin: pin)
  /// ```
  ///
  /// - Throws: as ``signUp(userKeyPair:pin:)-(_,String)``.
  public func signUp(userKeyPair: SigningKeyPair, pin: PIN) async throws -> String {
    try await detached { try $0.signUp(userKeyPair: userKeyPair, pin: pin) }
  }

  /// The signing key pair; prefer `withSigningKey(pin:_:)`.
  public func userKeyPair(pin: PIN) async throws -> SigningKeyPair {
    try await detached { try $0.userKeyPair(pin: pin) }
  }

  /// Signs up with the key that recovery words give, and signs in. Returns the address.
  public func signUp(words: Mnemonic, pin: PIN) async throws -> String {
    try await detached { try $0.signUp(words: words, pin: pin) }
  }

  /// Signs in: checks the PIN by opening the wallet, and remembers its address. Returns the address.
  ///
  /// - Throws: as ``signIn(pin:)-(String)``: ``SecureStorageError/invalidPin`` for a wrong PIN, which was counted.
  public func signIn(pin: PIN) async throws -> String { try await detached { try $0.signIn(pin: pin) } }

  /// Lends the signing key to a closure, which runs on another thread; the key is overwritten afterwards.
  ///
  /// - Parameters:
  ///   - pin: the wallet's PIN; a wrong one is counted.
  ///   - body: uses the key, and does not keep it; what it throws is thrown on.
  public func withSigningKey<Result: Sendable>(
    pin: PIN, _ body: @escaping @Sendable (SigningKeyPair) throws -> Result
  ) async throws -> Result {
    try await detached { try $0.withSigningKey(pin: pin, body) }
  }

  /// Changes the PIN. If the process is killed during the change, exactly one of the two PINs opens the wallet (WAL-7).
  public func changePIN(from old: PIN, to new: PIN) async throws {
    try await detached { try $0.changePIN(from: old, to: new) }
  }

  /// Recovers the wallet from its words under a new PIN, and signs in. Returns the address.
  public func recover(words: Mnemonic, pin: PIN) async throws -> String {
    try await detached { try $0.recover(words: words, pin: pin) }
  }

  /// Destroys the wallet on this device. Only the words bring the key back.
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
