import Foundation
public import Stellar
import Synchronization

/// SwiftBasicPay's static calls, as published, on one storage for the whole app.
extension SecureStorage {
  /// The app's own storage, on which ``AuthService/init()`` and the static calls work.
  ///
  /// By default the file is in the user's data folder and the device's secret in the state folder, each in a folder
  /// with the app's name, as `XDG_DATA_HOME`, `XDG_STATE_HOME` and `HOME` say (WAL-13); on Apple systems both are in
  /// Application Support. It has no vault, so that only a TPM limits guesses: set a storage with a vault before the
  /// first use:
  ///
  ///     SecureStorage.shared = SecureStorage(storage: …, secrets: …, vault: try StoreVault(store: store))
  public static var shared: SecureStorage {
    get {
      sharedStorage.withLock { storage in
        let found = storage ?? ofThisApp(ProcessInfo.processInfo.environment)
        storage = found
        return found
      }
    }
    set { sharedStorage.withLock { $0 = newValue } }
  }

  /// Whether a wallet is stored, whole or damaged.
  public static var hasUser: Bool { get throws { try shared.hasUser } }

  /// Stores a key pair under a PIN, and signs in. Unlike SwiftBasicPay's call it does not replace a wallet that is
  /// there.
  ///
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when there is a wallet; ``WalletError/Kind/commonPIN``; other kinds
  ///   of ``WalletError``.
  public static func storeUserKeyPair(userSigningKeyPair: SigningKeyPair, pin: String) throws {
    _ = try shared.storeUserKeyPair(userSigningKeyPair: userSigningKeyPair, pin: PIN(pin))
  }

  /// The signing key pair, for the PIN. Blocks.
  ///
  /// - Throws: ``SecureStorageError/userNotFound``, ``SecureStorageError/invalidPin``, ``WalletError``.
  public static func getUserKeyPair(pin: String) throws -> SigningKeyPair { try shared.getUserKeyPair(pin: PIN(pin)) }

  /// Destroys the wallet on this device, and the vault's half of its key when the vault can be reached.
  ///
  /// - Throws: ``WalletError`` when the file or the device's secret cannot be reached now: the wallet stays.
  public static func deleteAll() throws { try shared.deleteAll() }

  private static let sharedStorage = Mutex<SecureStorage?>(nil)

  /// In the person's folders, under the app's name.
  static func ofThisApp(_ environment: [String: String]) -> SecureStorage {
    let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    do throws(WalletError) {
      let item = try PersonFolder.data.url(in: environment).appending(path: "\(app)/wallet")
      let secrets = try PersonFolder.state.url(in: environment).appending(path: "\(app)/wallet.device")
      return SecureStorage(
        storage: FileStorage(folder: item), secrets: DeviceSecrets(folder: secrets, place: .find()), vault: nil)
    } catch {
      return SecureStorage(storage: Nowhere(reason: error), secrets: Nowhere(reason: error), vault: nil)
    }
  }
}

/// A place that cannot be found: every call says why.
private struct Nowhere: WalletStorage, DeviceSecretStore {
  let reason: WalletError

  func hasItem() throws -> Bool { throw reason }
  func read() throws -> [UInt8]? { throw reason }
  func write(_ item: [UInt8]) throws { throw reason }
  func remove() throws { throw reason }
  func withLock<Result>(_ body: () throws -> Result) throws -> Result { throw reason }
  func name(of enrolment: [UInt8]) throws -> String { throw reason }
  func withSecret<Result>(of enrolment: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
    throw reason
  }
  func store(_ secret: UnsafeRawBufferPointer, of enrolment: [UInt8]) throws { throw reason }
  func remove(_ enrolment: [UInt8]) throws { throw reason }
}
