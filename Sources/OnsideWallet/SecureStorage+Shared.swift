import Foundation
public import Stellar
import Synchronization

/// SwiftBasicPay's static calls, as published, on one storage for the whole app.
extension SecureStorage {
  /// The app's own storage, on which ``AuthService/init()`` and the static calls work. Without a vault by default, so
  /// that only a TPM limits guesses; set one with a vault before the first use:
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

  /// Whether there is a wallet, whole or not.
  public static var hasUser: Bool { get throws { try shared.hasUser } }

  /// Stores a key pair under a PIN. Unlike the published one it keeps a wallet that is there.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` when there is a wallet; ``WalletError``.
  public static func storeUserKeyPair(userSigningKeyPair: SigningKeyPair, pin: String) throws {
    _ = try shared.storeUserKeyPair(userSigningKeyPair: userSigningKeyPair, pin: PIN(pin))
  }

  /// The signing key pair.
  /// - Throws: ``SecureStorageError/userNotFound``, ``SecureStorageError/invalidPin``, ``WalletError``.
  public static func getUserKeyPair(pin: String) throws -> SigningKeyPair { try shared.getUserKeyPair(pin: PIN(pin)) }

  /// Destroys the wallet on this device.
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
