public import Stellar

/// The wallet's authentication service: signs a user up, in and out with a PIN, and gives out the signing key for the
/// PIN.
///
/// It has the published calls of SwiftBasicPay's `AuthService`, with ``SecureStorage`` behind it (WAL-16). The wallet
/// is one encrypted file that holds the signing key; the PIN, the device's secret and, where there is one, a vault or
/// TPM that counts wrong PINs are needed together to open it. Use a storage with a vault, so that a thief of the device
/// cannot try every PIN (WAL-5):
///
/// ```swift
/// let storage = SecureStorage(
///   storage: FileStorage(folder: data), secrets: DeviceSecrets(folder: state, place: place),
///   vault: try StoreVault(store: store))
/// let service = AuthService(storage: storage)
/// let address = try await service.signUp(userKeyPair: .random(), pin: PIN("908172"))
/// ```
///
/// Each function that takes a PIN runs Argon2id (64 MiB, about 70 ms) and may ask the vault over the network. The calls
/// that take a `String` as PIN block their thread meanwhile, also in `async` functions; the `async` calls that take a
/// ``PIN`` do not. Being signed in is a state in memory: after a restart no user is signed in. The key needs the PIN
/// each time, signed in or not (WAL-3).
///
/// A wrong PIN throws ``SecureStorageError/invalidPin``, an absent wallet ``SecureStorageError/userNotFound``,
/// everything else a ``WalletError``; none stands for another (WAL-4). Kinds that every call with a PIN may throw:
/// ``WalletError/Kind/wait`` until the next try is allowed, ``WalletError/Kind/triesExhausted`` after ten wrong PINs at
/// a vault, ``WalletError/Kind/vaultUnreachable``, ``WalletError/Kind/damaged``, and ``WalletError/Kind/busy`` when
/// another process has held the wallet for two minutes.
public final class AuthService: Sendable {
  /// The storage that keeps the key. ``SecureStorage/status()`` says what limits wrong PINs.
  public let storage: SecureStorage

  /// Makes a service on ``SecureStorage/shared``, the app's own storage. Services on one storage share the signed-in
  /// user.
  public convenience init() { self.init(storage: .shared) }

  /// Makes a service on a storage, for example one with a vault.
  public init(storage: SecureStorage) { self.storage = storage }

  /// Whether a wallet is stored, whole or damaged. Needs no PIN and no network.
  ///
  /// - Throws: ``WalletError/Kind/storage`` when the storage cannot be read.
  public var userIsSignedUp: Bool { get throws { try storage.hasUser } }

  /// Whether a user is signed in, in this process: the same as ``signedInUserAddress`` having a value.
  public var userIsSignedIn: Bool { signedInUserAddress != nil }

  /// The address `G…` of the signed-in user; `nil` when no user is signed in, or the stored wallet has another address
  /// or is gone.
  public var signedInUserAddress: String? { storage.signedInAddress?.text }

  /// Signs up: stores the key pair under a PIN, signs in and returns the address. Blocks.
  ///
  /// The device's secret is stored, the vault enrolled and the file written, in this order. When a step fails, no
  /// wallet is left (WAL-1).
  ///
  /// - Parameters:
  ///   - userKeyPair: the signing key pair, for example `.random()`. The caller's copy stays its own.
  ///   - pin: at least six characters, and none that is guessed first, such as dates and runs (``PIN/isCommon``),
  ///     unless ``WalletSettings/refusesCommonPINs`` is off.
  /// - Returns: the address `G…`.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when there is a wallet, which stays;
  ///   ``WalletError/Kind/commonPIN``; other kinds of ``WalletError``.
  public func signUp(userKeyPair: SigningKeyPair, pin: String) throws -> String {
    try signUp(userKeyPair: userKeyPair, pin: PIN(pin))
  }

  /// Signs in: checks the PIN by opening the wallet, and remembers its address until ``signOut()`` or the end of the
  /// process. Blocks.
  ///
  /// ```swift
  /// do {
  ///   let address: String = try authService.signIn(pin: pin)
  ///   self.address = address
  /// } catch SecureStorageError.userNotFound {
  ///   hasUser = false
  /// } catch SecureStorageError.invalidPin {
  ///   failure = "wrong PIN"
  /// }
  /// ```
  ///
  /// A wrong PIN is counted, where PINs are counted; the same wrong PIN twice in a row is counted once in a process.
  /// ``SecureStorage/triesAfterWrongPIN`` says how many tries remain.
  ///
  /// - Parameter pin: the wallet's PIN.
  /// - Returns: the address `G…`.
  /// - Throws: ``SecureStorageError/invalidPin``, ``SecureStorageError/userNotFound``, ``WalletError``.
  public func signIn(pin: String) throws -> String { try signIn(pin: PIN(pin)) }

  /// The signing key pair, whether signed in or not. Blocks.
  ///
  /// Prefer ``withSigningKey(pin:_:)-(String,_)``, which does not leave a copy in the caller's hands.
  ///
  /// - Parameter pin: the wallet's PIN; a wrong one is counted.
  /// - Throws: ``SecureStorageError/invalidPin``, ``SecureStorageError/userNotFound``, ``WalletError``.
  public func userKeyPair(pin: String) throws -> SigningKeyPair { try userKeyPair(pin: PIN(pin)) }

  /// Signs out: forgets the signed-in address and the last wrong PIN, and overwrites the latter's hash in memory. The
  /// stored wallet stays.
  public func signOut() { storage.signOut() }
}

/// Calls with a ``PIN``, which is never a `String`, and calls for words, changes and recovery. They block; each call
/// with a ``PIN`` has an `async` form, except ``words(pin:)``.
extension AuthService {
  /// Signs up like ``signUp(userKeyPair:pin:)-(_,String)``, with a PIN that was never a `String`.
  public func signUp(userKeyPair: SigningKeyPair, pin: PIN) throws -> String {
    try storage.storeUserKeyPair(userSigningKeyPair: userKeyPair, pin: pin).text
  }

  /// Signs up with the key that recovery words give (SEP-5, index 0), and signs in. The words are stored with the key:
  /// ``words(pin:)`` returns them for the PIN.
  ///
  /// - Returns: the address `G…`.
  /// - Throws: ``WalletError/Kind/alreadySignedUp``, ``WalletError/Kind/commonPIN`` and other kinds of ``WalletError``.
  public func signUp(words: Mnemonic, pin: PIN) throws -> String { try storage.store(words, pin: pin).text }

  /// Signs in like ``signIn(pin:)-(String)``, with a PIN that was never a `String`.
  public func signIn(pin: PIN) throws -> String { try storage.signIn(pin: pin).text }

  /// The signing key pair, like ``userKeyPair(pin:)-(String)``, with a PIN that was never a `String`.
  public func userKeyPair(pin: PIN) throws -> SigningKeyPair { try storage.getUserKeyPair(pin: pin) }

  /// Lends the signing key to a closure, for example to sign a transaction. Blocks.
  ///
  /// The key is overwritten when `body` has returned or thrown, unless `body` keeps a copy.
  ///
  /// - Parameters:
  ///   - pin: the wallet's PIN; a wrong one is counted.
  ///   - body: uses the key; what it throws is thrown on.
  /// - Throws: ``SecureStorageError/invalidPin``, ``SecureStorageError/userNotFound``, ``WalletError``.
  public func withSigningKey<Result>(pin: String, _ body: (SigningKeyPair) throws -> Result) throws -> Result {
    try withSigningKey(pin: PIN(pin), body)
  }

  /// Lends the signing key, like ``withSigningKey(pin:_:)-(String,_)``, with a PIN that was never a `String`.
  public func withSigningKey<Result>(pin: PIN, _ body: (SigningKeyPair) throws -> Result) throws -> Result {
    try body(storage.getUserKeyPair(pin: pin))
  }

  /// Changes the PIN.
  ///
  /// If the process is killed during the change, exactly one of the two PINs opens the wallet, and the next call
  /// completes the change (WAL-7). Afterwards an old copy of the file with the old PIN opens nothing; without a vault
  /// it does, together with an older copy of the device's secret.
  ///
  /// - Parameters:
  ///   - old: the present PIN; a wrong one is counted.
  ///   - new: the new PIN, under the rules of ``signUp(userKeyPair:pin:)-(_,String)``.
  /// - Throws: ``SecureStorageError/invalidPin``, ``WalletError/Kind/commonPIN``, ``WalletError``. After
  ///   ``WalletError/Kind/vaultUnreachable`` or ``WalletError/Kind/storage`` either PIN may be the wallet's.
  public func changePIN(from old: PIN, to new: PIN) throws { try storage.changePIN(from: old, to: new) }

  /// The recovery words that the wallet was made from, to show them to the user again.
  ///
  /// - Throws: ``WalletError/Kind/noWords`` when the wallet was made from a key; ``SecureStorageError/invalidPin``,
  ///   ``SecureStorageError/userNotFound``, ``WalletError``.
  public func words(pin: PIN) throws -> Mnemonic { try storage.words(pin: pin) }

  /// Recovers the wallet from its words under a new PIN, and signs in (WAL-8).
  ///
  /// For a forgotten PIN, too many wrong ones, a damaged file or another device. What is stored is replaced when it has
  /// the same address or cannot be read.
  ///
  /// - Returns: the address `G…`.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when a readable wallet with another address is stored, which stays;
  ///   ``WalletError/Kind/commonPIN``; other kinds of ``WalletError``.
  public func recover(words: Mnemonic, pin: PIN) throws -> String { try storage.recover(words, pin: pin).text }

  /// Destroys the wallet on this device, and the vault's half of its key when the vault can be reached. Only the words
  /// bring the key back.
  ///
  /// - Throws: ``WalletError`` when the file or the device's secret cannot be reached now: the wallet stays whole, for
  ///   another attempt.
  public func destroy() throws { try storage.deleteAll() }
}
