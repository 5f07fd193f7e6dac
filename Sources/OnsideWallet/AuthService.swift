public import Stellar

/// Signs a person up, in and out, and hands out the signing key for the PIN: SwiftBasicPay's `AuthService` as
/// published, with ``SecureStorage`` behind it.
///
/// Each function that takes a PIN runs Argon2id (about 70 ms) and may ask the vault over the network. The forms without
/// `async` block their thread meanwhile; use the others where a screen is waiting.
public final class AuthService: Sendable {
  /// Where the key is kept.
  public let storage: SecureStorage

  /// A service on ``SecureStorage/shared``. Services on one storage share the signed-in user.
  public convenience init() { self.init(storage: .shared) }

  /// A service on the given storage.
  public init(storage: SecureStorage) { self.storage = storage }

  /// Whether there is a wallet, whole or not.
  public var userIsSignedUp: Bool { get throws { try storage.hasUser } }

  /// Whether a user is signed in.
  public var userIsSignedIn: Bool { signedInUserAddress != nil }

  /// The address `G…` of the signed-in user, as long as the stored wallet has that address; nil otherwise.
  public var signedInUserAddress: String? { storage.signedInAddress?.text }

  /// Stores the key pair under a PIN and signs in. Returns the address.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when there is a wallet, which stays; ``WalletError``.
  public func signUp(userKeyPair: SigningKeyPair, pin: String) throws -> String {
    try signUp(userKeyPair: userKeyPair, pin: PIN(pin))
  }

  /// Signs in. Returns the address.
  /// - Throws: ``SecureStorageError/invalidPin``, ``SecureStorageError/userNotFound``, ``WalletError``.
  public func signIn(pin: String) throws -> String { try signIn(pin: PIN(pin)) }

  /// The signing key pair, whether signed in or not; prefer ``withSigningKey(pin:_:)-(String,_)``.
  /// - Throws: ``SecureStorageError/invalidPin``, ``SecureStorageError/userNotFound``, ``WalletError``.
  public func userKeyPair(pin: String) throws -> SigningKeyPair { try userKeyPair(pin: PIN(pin)) }

  /// Signs out: the address is dropped, and what is held in memory overwritten.
  public func signOut() { storage.signOut() }
}

/// The same with PINs that were never text.
extension AuthService {
  /// ``signUp(userKeyPair:pin:)-(_,String)`` with a PIN that was never text.
  public func signUp(userKeyPair: SigningKeyPair, pin: PIN) throws -> String {
    try storage.storeUserKeyPair(userSigningKeyPair: userKeyPair, pin: pin).text
  }

  /// Signs up with the key that the words give (SEP-5, index 0); the words can be shown again for the PIN.
  public func signUp(words: Mnemonic, pin: PIN) throws -> String { try storage.store(words, pin: pin).text }

  /// ``signIn(pin:)-(String)`` with a PIN that was never text.
  public func signIn(pin: PIN) throws -> String { try storage.signIn(pin: pin).text }

  /// ``userKeyPair(pin:)-(String)`` with a PIN that was never text.
  public func userKeyPair(pin: PIN) throws -> SigningKeyPair { try storage.getUserKeyPair(pin: pin) }

  /// Lends the signing key; it is overwritten when `body` is done and keeps no copy.
  public func withSigningKey<Result>(pin: String, _ body: (SigningKeyPair) throws -> Result) throws -> Result {
    try withSigningKey(pin: PIN(pin), body)
  }

  /// ``withSigningKey(pin:_:)-(String,_)`` with a PIN that was never text.
  public func withSigningKey<Result>(pin: PIN, _ body: (SigningKeyPair) throws -> Result) throws -> Result {
    try body(storage.getUserKeyPair(pin: pin))
  }

  /// Replaces a PIN by another. If the process is killed during the change, exactly one of the two PINs opens the
  /// wallet, and the next call completes the change. Afterwards an old copy of the item and the old PIN open nothing;
  /// without a vault they do, together with an older copy of the device's secret.
  public func changePIN(from old: PIN, to new: PIN) throws { try storage.changePIN(from: old, to: new) }

  /// The words that the wallet was made from.
  /// - Throws: ``WalletError/Kind/noWords`` when it was made from a key.
  public func words(pin: PIN) throws -> Mnemonic { try storage.words(pin: pin) }

  /// Makes the wallet anew from its words, under a new PIN, and signs in: after too many wrong PINs, a damaged item or
  /// on another device. A whole wallet with another address stays, and ``WalletError/Kind/alreadySignedUp`` is thrown.
  public func recover(words: Mnemonic, pin: PIN) throws -> String { try storage.recover(words, pin: pin).text }

  /// Destroys the wallet on this device, and the vault's half of its key when the vault can be reached. Only the words
  /// bring the key back.
  public func destroy() throws { try storage.deleteAll() }
}
