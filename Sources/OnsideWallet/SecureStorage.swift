package import Sodium
public import Stellar
import Synchronization

/// Stores the signing key behind a PIN: Argon2id, then a vault or TPM that counts the tries, where there is one, then
/// the device secret, then an authenticated box with all public fields bound to it.
///
/// Every function takes the lock of the storage, which serialises processes and threads.
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

  /// - Parameters:
  ///   - storage: where the item is kept.
  ///   - secrets: where the device secrets are kept: not beside the item.
  ///   - vault: counts the tries. Without one, only the device's TPM can limit them: ``status()`` says whether it does.
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

  /// Whether there is a wallet, whole or not.
  public var hasUser: Bool { get throws { try storage.hasItem() } }

  /// Stores a key pair under a PIN, and signs in.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when there is a wallet, which stays; ``WalletError``.
  public func storeUserKeyPair(userSigningKeyPair pair: SigningKeyPair, pin: PIN) throws -> AccountAddress {
    try signUp(Payload(seed: pair.seed, entropy: nil), pin: pin)
  }

  /// Stores the key that the words give, and the words.
  public func store(_ words: Mnemonic, pin: PIN) throws -> AccountAddress { try signUp(Payload(words), pin: pin) }

  /// The signing key pair.
  /// - Throws: ``SecureStorageError/userNotFound``, ``SecureStorageError/invalidPin``, ``WalletError``.
  public func getUserKeyPair(pin: PIN) throws -> SigningKeyPair { try keyPair(of: unlock(pin)) }

  /// Opens the wallet to check the PIN, and remembers its address.
  public func signIn(pin: PIN) throws -> AccountAddress {
    let address = try getUserKeyPair(pin: pin).account
    session.withLock { $0 = address }
    return address
  }

  /// The words that the wallet was made from.
  public func words(pin: PIN) throws -> Mnemonic {
    guard let entropy = try unlock(pin).entropy, let words = Mnemonic(entropy: entropy) else {
      throw WalletError.noWords
    }
    return words
  }

  /// Forgets the signed-in address and the last wrong PIN.
  public func signOut() {
    session.withLock { $0 = nil }
    wrongPINs.forget()
  }

  /// The signed-in address, as long as the stored wallet has it.
  public var signedInAddress: AccountAddress? {
    guard let address = session.withLock({ $0 }), (try? self.address) == address else { return nil }
    return address
  }

  /// Why the vault was not updated after the last opening; nil when no update is outstanding. The key was handed out
  /// all the same, and the next opening repeats the update, without a further guess. Show it: until then the wallet may
  /// depend on an enrolment that the vault drops after a day.
  public var enrolmentFailure: WalletError? { lastFailure.withLock { $0 } }

  /// After a wrong PIN: how many more there may be, and seconds until the next try; nil where nothing counts, and after
  /// a right PIN.
  public var triesAfterWrongPIN: (remaining: Int, secondsToWait: Int)? { wrongPINs.tries }

  /// The wallet's address, which needs no PIN.
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
