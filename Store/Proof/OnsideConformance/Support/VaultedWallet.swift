import Foundation
import OnsideWallet
import Stellar
import StoreTestSupport

/// A wallet on a device of its own, whose wrong PINs a system's store counts.
struct VaultedWallet: Sendable {
  let folder: TemporaryFolder
  private let system: TestedSystem

  init(in system: TestedSystem) throws {
    self.system = system
    folder = try TemporaryFolder()
  }

  var item: URL { folder.url.appending(path: "item/wallet.item") }

  /// A new object each time, as after a restart: what is only in memory is gone.
  func service() throws -> AuthService {
    AuthService(
      storage: SecureStorage(
        storage: FileStorage(folder: folder.url.appending(path: "item")),
        secrets: FileDeviceSecrets(folder: folder.url.appending(path: "device")),
        vault: try StoreVault(store: system.network.address, deadline: 120),
        settings: WalletSettings(network: .test, refusesCommonPINs: false)))
  }

  /// What opening with a PIN comes to: "ok", or the error's name; what a vault did wrong in words.
  @MainActor
  func outcome(of pin: String) async -> String {
    await Self.outcome { try await service().signIn(pin: PIN(pin)) }
  }

  @MainActor
  static func outcome(of body: () async throws -> some Any) async -> String {
    do {
      _ = try await body()
      return "ok"
    } catch let error as WalletError {
      return error.kind == .vaultFault ? error.explanation : error.kind.name
    } catch let error as SecureStorageError {
      return error == .invalidPin ? "invalidPin" : "userNotFound"
    } catch {
      return "\(error)"
    }
  }

  /// How many more wrong PINs there may be. Not on the caller's thread: it asks the store.
  func triesLeft() async throws -> Int? {
    let service = try service()
    return try await Task.detached { try service.storage.status().tries?.remaining }.value
  }
}
