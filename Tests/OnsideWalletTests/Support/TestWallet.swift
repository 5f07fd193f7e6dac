import Foundation
import OnsideWallet
import Sodium
import Stellar

/// A wallet in a folder of its own, with small settings of Argon2id; the folder goes with it.
final class TestWallet: Sendable {
  let folder: URL
  let vault: MemoryVault?
  let service: AuthService
  /// Which TPM has the device's secret; nil where a file has it.
  private let tpm: String?

  init(vault: MemoryVault? = nil, tpm: String? = nil, settings: WalletSettings = .small) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "wallet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.vault = vault
    self.tpm = tpm
    service = Self.service(folder, vault: vault, tpm: tpm, settings: settings)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Another process, as far as memory is concerned: the same files, and nothing remembered.
  func restarted() -> AuthService { Self.service(folder, vault: vault, tpm: tpm, settings: .small) }

  /// The blocking forms, also for tests that wait for something else; after sign up on a service that remembers
  /// nothing.
  @discardableResult
  func signUp(_ pin: String, words: Mnemonic = .random()) throws -> String {
    try service.signUp(words: words, pin: PIN(pin))
  }
  func signIn(_ pin: String) throws -> String { try restarted().signIn(pin: pin) }
  func changePIN(_ old: String, to new: String) throws { try restarted().changePIN(from: PIN(old), to: PIN(new)) }
  func recover(_ words: Mnemonic, pin: String) throws -> String {
    try restarted().recover(words: words, pin: PIN(pin))
  }
  func destroy() throws { try restarted().destroy() }

  var item: URL { folder.appending(path: "item/wallet.item") }
  var secrets: URL { folder.appending(path: "secrets") }

  func secretFiles() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: secrets, includingPropertiesForKeys: nil)
  }

  static func service(_ folder: URL, vault: (any Vault)?, tpm: String? = nil, settings: WalletSettings) -> AuthService {
    let place = folder.appending(path: "secrets")
    let secrets: any DeviceSecretStore =
      if let tpm { DeviceSecrets(folder: place, place: .tpm, tpm: tpm) } else { FileDeviceSecrets(folder: place) }
    return AuthService(
      storage: SecureStorage(
        storage: FileStorage(folder: folder.appending(path: "item")), secrets: secrets, vault: vault,
        settings: settings))
  }
}

extension WalletSettings {
  /// The least that Argon2id allows, for tests that open many times.
  static var small: WalletSettings {
    var settings = WalletSettings(network: .test, refusesCommonPINs: false)
    settings.argon2id = Argon2id(passes: 1, memory: 8)
    return settings
  }
}

/// The kind of a thrown wallet error; nil for anything else, or nothing.
func kind(of body: () throws -> some Any) -> WalletError.Kind? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? WalletError)?.kind
  }
}

/// What a call ended in: "ok", or the error's name.
func outcome(of body: () throws -> some Any) -> String {
  do {
    _ = try body()
    return "ok"
  } catch let error as WalletError {
    return error.kind.name
  } catch let error as SecureStorageError {
    return error == .invalidPin ? "invalidPin" : "userNotFound"
  } catch {
    return "\(error)"
  }
}
