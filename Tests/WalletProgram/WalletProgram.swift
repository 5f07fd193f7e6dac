import Foundation
import OnsideWallet
import Sodium
import Stellar

/// A wallet in a process of its own, for tests that kill it or disturb its system calls. All of it runs on the main
/// thread, so that its calls come in the same order each time.
///
///     wallet-test-program FOLDER sign-up PIN | sign-in PIN | change OLD NEW | crash PIN
///
/// Prints how it ended: `ok`, or the error's name. With `WALLET_VAULT=1` file 3 leads to the vault.
@main
enum WalletProgram {
  static func main() {
    let words = CommandLine.arguments
    var settings = WalletSettings(network: .test, refusesCommonPINs: false)
    settings.argon2id = Argon2id(passes: 1, memory: 8)
    let folder = URL(filePath: words[1], directoryHint: .isDirectory)
    let storage = SecureStorage(
      storage: FileStorage(folder: folder.appending(path: "item")),
      secrets: FileDeviceSecrets(folder: folder.appending(path: "secrets")),
      vault: ProcessInfo.processInfo.environment["WALLET_VAULT"] == nil ? nil : PipeVault(descriptor: 3),
      settings: settings)
    print(outcome { try run(AuthService(storage: storage), Array(words.dropFirst(2))) })
  }

  private static func run(_ service: AuthService, _ words: [String]) throws {
    switch words[0] {
    case "sign-up": _ = try service.signUp(userKeyPair: .random(), pin: words[1])
    case "sign-in": _ = try service.signIn(pin: words[1])
    case "crash":
      guard ProcessHardening.apply() else { throw SecureStorageError.userNotFound }
      _ = try service.withSigningKey(pin: words[1]) { _ in abort() }
    case "change": try service.changePIN(from: PIN(words[1]), to: PIN(words[2]))
    default: fatalError("expected sign-up, sign-in, change or crash")
    }
  }

  private static func outcome(of body: () throws -> Void) -> String {
    do {
      try body()
      return "ok"
    } catch let error as WalletError {
      return error.kind.name
    } catch {
      return error as? SecureStorageError == .invalidPin ? "invalidPin" : "userNotFound"
    }
  }
}
