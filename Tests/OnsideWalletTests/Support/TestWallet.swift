import Foundation
import OnsideWallet
import Sodium
import Stellar

/// A wallet in a folder of its own, with small settings of Argon2id; the folder goes with it.
final class TestWallet: Sendable {
  let folder: URL
  let vault: MemoryVault?
  let service: AuthService

  init(vault: MemoryVault? = nil, settings: WalletSettings = .small) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "wallet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.vault = vault
    service = Self.service(folder, vault: vault, settings: settings)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Another process, as far as memory is concerned: the same files, and nothing remembered.
  func restarted() -> AuthService { Self.service(folder, vault: vault, settings: .small) }

  var item: URL { folder.appending(path: "item/wallet.item") }
  var secrets: URL { folder.appending(path: "secrets") }

  static func service(_ folder: URL, vault: (any Vault)?, settings: WalletSettings) -> AuthService {
    AuthService(
      storage: SecureStorage(
        storage: FileStorage(folder: folder.appending(path: "item")),
        secrets: FileDeviceSecrets(folder: folder.appending(path: "secrets")), vault: vault, settings: settings))
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
