import ArgumentParser
import Foundation
import Glibc
import OnsideWallet
import Stellar

/// The options that select the wallet of a command.
struct WalletOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The wallet's folder. Default: onside-wallet in XDG_DATA_HOME, else in HOME/.local/share; "
        + "the device's secret then lies in XDG_STATE_HOME, else in HOME/.local/state; with --wallet in FOLDER.device.",
      valueName: "folder"))
  var wallet: String?

  /// The folder of the wallet's item.
  var folder: URL { get throws { try wallet.map(Self.folder) ?? Self.own(.data) } }

  /// The folder of the device's secrets, or of the files that refer to their place.
  var deviceFolder: URL { get throws { try wallet.map { Self.folder($0 + ".device") } ?? Self.own(.state) } }

  /// The device's secrets, as a wallet of this profile keeps them.
  func deviceSecrets(_ profile: WalletProfile?) throws -> DeviceSecrets {
    DeviceSecrets(folder: try deviceFolder, place: profile?.deviceSecret ?? .file, tpm: WalletTPM.tcti)
  }

  /// The wallet that is there.
  func service() throws -> AuthService {
    let folder = try folder
    let item = FileStorage(folder: folder)
    if let profile = try WalletProfile.read(in: folder) { return try service(profile, item: item) }
    let service = try service(WalletProfile(vault: nil, network: Network.public.passphrase), item: item)
    // The profile decides what limits the next PIN: it is never guessed.
    guard try !service.userIsSignedUp else {
      throw CommandFailure(
        "expected wallet.json beside the wallet in \(folder.path()), found none: put it back, or recover with the words"
      )
    }
    return service
  }

  /// A wallet that is to be made, or made anew.
  func newService(_ profile: WalletProfile) throws -> AuthService {
    try service(profile, item: NewWalletStorage(folder: try folder, profile: profile))
  }

  private func service(_ profile: WalletProfile, item: any WalletStorage) throws -> AuthService {
    ProcessHardening.apply()
    let vault = try profile.vault.map { try StoreVault(store: $0) }
    let storage = SecureStorage(
      storage: item, secrets: try deviceSecrets(profile),
      vault: vault, settings: WalletSettings(network: profile.stellarNetwork))
    return AuthService(storage: storage)
  }

  private static func folder(_ path: String) -> URL { URL(filePath: path, directoryHint: .isDirectory) }

  private static func own(_ place: PersonFolder) throws -> URL {
    try place.url(in: ProcessInfo.processInfo.environment).appending(path: "onside-wallet")
  }
}

/// The options of a new wallet: its vault, network and place of the device's secret.
struct NewWalletOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The store whose vault counts the tries.", valueName: "url")) var vault: String?
  @Flag(help: "Make a wallet without a vault: PIN tries are not counted by a store.") var noVault = false
  @Option(help: "The network: public, test, or the passphrase of another.") var network = "public"
  @Option(
    help: ArgumentHelp(
      "Where the device's secret is kept: tpm, keyring or file. Default: the first that works here.",
      valueName: "place"),
    transform: place)
  var deviceSecret: DeviceSecretPlace?

  private static func place(_ name: String) throws -> DeviceSecretPlace {
    guard let place = DeviceSecretPlace(rawValue: name) else {
      throw ValidationError("expected tpm, keyring or file")
    }
    return place
  }

  func profile() throws -> WalletProfile {
    guard noVault != (vault != nil) else {
      throw CommandFailure(
        "expected either --vault URL, the store whose vault counts the tries, or --no-vault, which means none does"
      )
    }
    let url = try vault.map { text in
      guard let url = URL(string: text), url.host() != nil else {
        throw CommandFailure("expected an address such as https://store.example, got \"\(text)\"")
      }
      return url
    }
    let passphrase = ["public": Network.public, "test": .test][network]?.passphrase ?? network
    try deviceSecret?.check(tpm: WalletTPM.tcti)
    let place = deviceSecret ?? DeviceSecretPlace.find(tpm: WalletTPM.tcti)
    return WalletProfile(vault: url, network: passphrase, deviceSecret: place)
  }
}

/// The TPM of this machine.
enum WalletTPM {
  /// `ONSIDE_WALLET_TPM`, else the kernel's. `TSS2_LOG` keeps tpm2-tss from printing every wrong PIN on standard error.
  static let tcti: String = {
    setenv("TSS2_LOG", "all+none", 0)
    return ProcessInfo.processInfo.environment["ONSIDE_WALLET_TPM"] ?? DeviceSecretPlace.hardwareTPM
  }()
}
