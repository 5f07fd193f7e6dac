package import Sodium
public import Stellar
import Synchronization

/// The encrypted storage of a signing key: a file that opens only with the PIN, this device's secret and, where there
/// is one, a vault or TPM that counts wrong PINs.
///
/// The key that opens the file comes from Argon2id over the PIN, then the vault's or TPM's answer, then the device's
/// secret; the file is authenticated together with all its public fields. ``AuthService`` has the calls that apps make;
/// use this type to choose where things are kept, and to ask for the wallet's status:
///
/// ```swift
/// let storage = SecureStorage(
///   storage: FileStorage(folder: data), secrets: DeviceSecrets(folder: state, place: place),
///   vault: try StoreVault(store: store))
/// ```
///
/// Every function takes the lock of the storage, which serialises threads and processes, and blocks its thread. A
/// change that was cut short by a kill or a full disk is completed by the next call.
public final class SecureStorage: Sendable {
  let storage: any WalletStorage
  let secrets: any DeviceSecretStore
  let vault: (any Vault)?
  let settings: WalletSettings
  let random: RandomBytes
  let wrongPINs: WrongPINs
  private let session = Mutex<AccountAddress?>(nil)
  private let lastFailure = Mutex<WalletError?>(nil)
  /// An item whose write failed after the vault's last try: a new slot and the one before it, no secret.
  let unwritten = Mutex<WalletItem?>(nil)

  /// Makes a storage. Nothing is read or written before the first call.
  ///
  /// - Parameters:
  ///   - storage: where the wallet's file is kept.
  ///   - secrets: where the device's secrets are kept; in another folder than the file, so that a copy of one is of no
  ///     use.
  ///   - vault: counts the tries. Without one, only the device's TPM can limit them: ``status()`` says whether it does.
  ///   - settings: the network, and whether common PINs are refused.
  public convenience init(
    storage: any WalletStorage, secrets: any DeviceSecretStore, vault: (any Vault)?,
    settings: WalletSettings = WalletSettings()
  ) {
    self.init(storage: storage, secrets: secrets, vault: vault, settings: settings, random: .system)
  }

  package init(
    storage: any WalletStorage, secrets: any DeviceSecretStore, vault: (any Vault)?, settings: WalletSettings,
    random: RandomBytes
  ) {
    self.storage = storage
    self.secrets = secrets
    self.vault = vault
    self.settings = settings
    self.random = random
    wrongPINs = WrongPINs(random: random)
  }

  /// Whether a wallet is stored, whole or damaged. Needs no PIN and no network.
  public var hasUser: Bool { get throws { try storage.hasItem() } }

  /// Stores a key pair under a PIN, and signs in. See ``AuthService/signUp(userKeyPair:pin:)-(_,String)``.
  ///
  /// - Returns: the address.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when there is a wallet, which stays;
  ///   ``WalletError/Kind/commonPIN``; other kinds of ``WalletError``.
  public func storeUserKeyPair(userSigningKeyPair pair: SigningKeyPair, pin: PIN) throws -> AccountAddress {
    try signUp(Payload(seed: pair.seed, entropy: nil), pin: pin)
  }

  /// Stores the key that recovery words give, together with the words, and signs in.
  ///
  /// - Returns: the address.
  /// - Throws: as ``storeUserKeyPair(userSigningKeyPair:pin:)-(_,PIN)``.
  public func store(_ words: Mnemonic, pin: PIN) throws -> AccountAddress { try signUp(Payload(words), pin: pin) }

  /// The signing key pair, for the PIN.
  ///
  /// With a vault this is one try: it is counted before the vault answers, and a right PIN resets the count. The key is
  /// returned even when a re-enrolment that follows fails; see ``enrolmentFailure`` (WAL-12).
  ///
  /// - Throws: ``SecureStorageError/userNotFound``; ``SecureStorageError/invalidPin``, after which
  ///   ``triesAfterWrongPIN`` says how many tries remain; ``WalletError``.
  public func getUserKeyPair(pin: PIN) throws -> SigningKeyPair { try keyPair(of: unlock(pin)) }

  /// Opens the wallet to check the PIN, and remembers its address in memory.
  ///
  /// - Returns: the address.
  /// - Throws: as ``getUserKeyPair(pin:)-(PIN)``.
  public func signIn(pin: PIN) throws -> AccountAddress {
    let address = try getUserKeyPair(pin: pin).account
    session.withLock { $0 = address }
    return address
  }

  /// The recovery words that the wallet was made from.
  ///
  /// - Throws: ``WalletError/Kind/noWords`` when it was made from a key; otherwise as ``getUserKeyPair(pin:)-(PIN)``.
  public func words(pin: PIN) throws -> Mnemonic {
    guard let entropy = try unlock(pin).entropy, let words = Mnemonic(entropy: entropy) else {
      throw WalletError.noWords
    }
    return words
  }

  /// Signs out: forgets the signed-in address and the last wrong PIN.
  public func signOut() {
    session.withLock { $0 = nil }
    wrongPINs.forget()
  }

  /// The signed-in address; `nil` when no user is signed in, or the stored wallet has another address or is gone.
  public var signedInAddress: AccountAddress? {
    guard let address = session.withLock({ $0 }), (try? self.address) == address else { return nil }
    return address
  }

  /// The reason why the vault was not updated after the last opening; `nil` when no update is outstanding.
  ///
  /// The key was handed out all the same, and the next opening repeats the update, without a further guess (WAL-12).
  /// Show it to the user, and open the wallet again while the vault can be reached: until then the wallet may depend on
  /// an enrolment that the vault drops after a day.
  public var enrolmentFailure: WalletError? { lastFailure.withLock { $0 } }

  /// The tries that remain after a wrong PIN, and the seconds until the next one is allowed; `nil` where nothing
  /// counts, and after a right PIN or ``signOut()``.
  ///
  /// A vault destroys its half of the key at the tenth wrong PIN, and makes tries wait from the fourth on: 1, 5, 15, 60
  /// and 60 minutes, then 8 hours (WAL-6).
  public var triesAfterWrongPIN: (remaining: Int, secondsToWait: Int)? { wrongPINs.tries }

  /// The wallet's address, which needs no PIN and no network.
  ///
  /// - Throws: ``SecureStorageError/userNotFound``, ``WalletError/Kind/damaged``.
  public var address: AccountAddress { get throws { try AccountAddress(of: readItem().slots[0]) } }

  func keyPair(of payload: Payload) throws -> SigningKeyPair {
    guard let pair = SigningKeyPair(seed: payload.seed) else { throw WalletError.damaged("a seed of another length") }
    return pair
  }

  func enrolmentFailed(_ failure: WalletError?) { lastFailure.withLock { $0 = failure } }

  func signIn(as address: AccountAddress) { session.withLock { $0 = address } }
}

extension AccountAddress {
  init(of slot: Slot) throws {
    guard let address = AccountAddress(publicKey: slot.publicKey) else {
      throw WalletError.damaged("an address of another length")
    }
    self = address
  }
}

extension Payload {
  init(_ words: Mnemonic) throws { self.init(seed: try words.keyPair().seed, entropy: words.storedEntropy) }
}
