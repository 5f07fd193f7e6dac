import Foundation
import OnsideWallet
import OnsideWalletImport
import Sodium
import Stellar

/// A wallet in a process of its own, for tests that kill it or disturb its system calls. All of it runs on the main
/// thread, so that its calls come in the same order each time.
///
///     wallet-test-program FOLDER sign-up PIN | sign-in PIN | change OLD NEW | name | destroy
///     wallet-test-program FOLDER crash PIN | crash-soft PIN
///     wallet-test-program FOLDER import OLD-PIN NEW-PIN     the item is FOLDER/old.item, and deleted last
///     wallet-test-program FOLDER hold signed-out | lent     the PIN is FOLDER/pin; FOLDER/holds says when
///
/// Commands that follow each other as arguments, with a comma between them, run in one process, each with a service of
/// its own. Prints the result of each command in a line: where the device's secret is kept, `ok`, or the error's name.
/// With `WALLET_VAULT=1` file 3 leads to the vault; `WALLET_PLACE` says where device secrets go, and `WALLET_TPM` which
/// TPM that is.
@main
enum WalletProgram {
  static func main() {
    let words = CommandLine.arguments
    var settings = WalletSettings(network: .test, refusesCommonPINs: false)
    settings.argon2id = Argon2id(passes: 1, memory: 8)
    let folder = URL(filePath: words[1], directoryHint: .isDirectory)
    for command in words.dropFirst(2).split(separator: ",") {
      let service = AuthService(storage: storage(folder, settings: settings))
      print(outcome { try run(service, words: Array(command), folder: folder) })
    }
  }

  private static func storage(_ folder: URL, settings: WalletSettings) -> SecureStorage {
    let environment = ProcessInfo.processInfo.environment
    let place = environment["WALLET_PLACE"].flatMap(DeviceSecretPlace.init) ?? .file
    return SecureStorage(
      storage: FileStorage(folder: folder.appending(path: "item")),
      secrets: DeviceSecrets(
        folder: folder.appending(path: "secrets"), place: place,
        tpm: environment["WALLET_TPM"] ?? DeviceSecretPlace.hardwareTPM),
      vault: environment["WALLET_VAULT"] == nil ? nil : PipeVault(descriptor: 3), settings: settings)
  }

  private static func run(_ service: AuthService, words: [String], folder: URL) throws -> String {
    switch words[0] {
    case "sign-up": _ = try service.signUp(userKeyPair: .random(), pin: words[1])
    case "sign-in": _ = try service.signIn(pin: words[1])
    case "crash":
      guard ProcessHardening.apply() else { throw SecureStorageError.userNotFound }
      _ = try service.withSigningKey(pin: words[1]) { _ in abort() }
    case "crash-soft": _ = try service.withSigningKey(pin: words[1]) { _ in abort() }
    case "change": try service.changePIN(from: PIN(words[1]), to: PIN(words[2]))
    case "import":
      try importOld(service, file: folder.appending(path: "old.item"), old: PIN(words[1]), new: PIN(words[2]))
    case "hold": try hold(service, folder: folder, lending: words[1] == "lent")
    case "name": return try service.storage.status().deviceSecret
    case "destroy": try service.destroy()
    default: fatalError("expected another word than \(words[0])")
    }
    return "ok"
  }

  private static func importOld(_ service: AuthService, file: URL, old: PIN, new: PIN) throws {
    let pair = try LegacyItem(try String(contentsOf: file, encoding: .utf8)).keyPair(pin: old)
    _ = try service.signUp(importing: pair, oldPIN: old, newPIN: new)
    unlink(file.path(percentEncoded: false))
  }

  /// Signs in and out, or lends the key, and waits while the test searches the memory.
  private static func hold(_ service: AuthService, folder: URL, lending: Bool) throws {
    if lending { return try service.withSigningKey(pin: readPIN(folder)) { _ in wait(folder) } }
    try signInAndOut(service, folder: folder)
    wait(folder)
  }

  /// Its local values are released with its frame.
  private static func signInAndOut(_ service: AuthService, folder: URL) throws {
    let pin = try readPIN(folder)
    _ = try service.signIn(pin: pin)
    _ = try service.withSigningKey(pin: pin) { $0.signature(of: [1]) }
    service.signOut()
  }

  private static func readPIN(_ folder: URL) throws -> PIN {
    let descriptor = open(folder.appending(path: "pin").path(percentEncoded: false), O_RDONLY)
    defer { close(descriptor) }
    return PIN(try SecretLine(readingFrom: descriptor))
  }

  private static func wait(_ folder: URL) {
    close(creat(folder.appending(path: "holds").path(percentEncoded: false), 0o600))
    while true { pause() }
  }

  private static func outcome(of body: () throws -> String) -> String {
    do {
      return try body()
    } catch let error as WalletError {
      return error.kind.name
    } catch {
      return error as? SecureStorageError == .invalidPin ? "invalidPin" : "userNotFound"
    }
  }
}
