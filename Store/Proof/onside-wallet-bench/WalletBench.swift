import ArgumentParser
import Foundation
import OnsideWallet
import OnsideWalletImport
import Stellar

/// Measures the time of a sign in beside Argon2id alone, and the rate of offline guesses at PINs.
@main
struct WalletBench: ParsableCommand {
  static let bar = 1.25

  @Argument(help: "The built Store/Proof/Peers/argon2id.c.") var peer: String
  @Option(help: "How many pairs.") var pairs = 15
  @Option(help: "A store with a vault; without one, only the wallet without a vault is measured.") var vault: String?

  func run() throws {
    print("Sign in beside Argon2id alone (64 MiB, 3 passes), in turns; ratio: median (least - greatest)")
    var isFast = try measureSignIn(name: "without a vault", vault: nil)
    if let vault {
      guard let url = URL(string: vault) else { throw ValidationError("expected a URL, got \"\(vault)\"") }
      isFast = try measureSignIn(name: "with a vault over HTTP", vault: try StoreVault(store: url)) && isFast
    }
    try printGuesses()
    guard isFast else { throw ExitCode.failure }
  }

  private func printGuesses() throws {
    print("\nOffline guesses per second, one core")
    let old = try guessesAtOldFormat()
    let new = try guessesAtDevice()
    row("the reference's item alone", rate: old, how: "measured")
    print("  our item alone: none possible, 256 bits of the device's secret are missing (derived)")
    print("  our item and the vault's key: none possible, the same 256 bits are missing (derived)")
    row("our item and device secret, no vault", rate: new, how: "measured")
    print("  our item and device secret, vault: none offline; 10 in all (by the vault's rules)")
    row("our item, device secret and the vault's key", rate: new, how: "derived: the same Argon2id, and 0.4 ms at most")
  }

  private func row(_ name: String, rate: Double, how: String) {
    let whole = 1_000_000 / rate
    let time = whole < 3600 ? "\(Int(whole)) s" : "\((whole / 360).rounded() / 10) h"
    print("  \(name): \((rate * 10).rounded() / 10), all 10^6 PINs in \(time) (\(how))")
  }

  /// Whether the bar is met.
  private func measureSignIn(name: String, vault: (any Vault)?) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "wallet-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = service(folder, vault: vault)
    _ = try service.signUp(userKeyPair: .random(), pin: "908172")
    _ = try service.signIn(pin: "908172")
    var (alone, times): ([Double], [Double]) = ([], [])
    for _ in 0..<pairs {
      alone.append(try argon2id())
      times.append(try milliseconds { _ = try service.signIn(pin: "908172") })
    }
    try service.destroy()
    let ratios = zip(times, alone).map { $0 / $1 }
    let isFast = median(ratios) <= Self.bar
    print(
      "  \(isFast ? "✔" : "✘") \(name): \(text(ratios)), sign in \(text(times)) ms, Argon2id \(text(alone)) ms;",
      "the bar is \(Self.bar)")
    return isFast
  }

  private func service(_ folder: URL, vault: (any Vault)?) -> AuthService {
    AuthService(
      storage: SecureStorage(
        storage: FileStorage(folder: folder.appending(path: "item")),
        secrets: FileDeviceSecrets(folder: folder.appending(path: "device")), vault: vault))
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func text(_ values: [Double]) -> String {
    let (least, greatest) = (values.min() ?? .nan, values.max() ?? .nan)
    return String(format: "%.2f (%.2f - %.2f)", median(values), least, greatest)
  }

  private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body).components
    return Double(time.seconds) * 1e3 + Double(time.attoseconds) / 1e15
  }

  private func argon2id() throws -> Double {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: peer)
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let time = Double(output.trimmingCharacters(in: .newlines)) else {
      throw ValidationError("expected milliseconds of \(peer), got \"\(output)\"")
    }
    return time
  }

  /// Guesses per second at SwiftBasicPay's format, with the project's own reader (BoringSSL); hand-written C is about
  /// ten times as fast.
  private func guessesAtOldFormat() throws -> Double {
    let item = try LegacyItem(Self.oldItem)
    let count = 2000
    let time = milliseconds {
      for guess in 0..<count { _ = try? item.keyPair(pin: PIN(String(100_000 + guess))) }
    }
    return Double(count) / time * 1000
  }

  private func guessesAtDevice() throws -> Double {
    let folder = FileManager.default.temporaryDirectory.appending(path: "wallet-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = service(folder, vault: nil)
    _ = try service.signUp(userKeyPair: .random(), pin: "908172")
    let count = 30
    let time = milliseconds { for guess in 0..<count { _ = try? service.signIn(pin: String(100_000 + guess)) } }
    return Double(count) / time * 1000
  }

  /// An item of SwiftBasicPay with a worthless key, under the PIN 908172.
  private static let oldItem =
    "wThnW9N8fkkxgmSr82N5Qg==;cfK0mONfrcwx6oeMFxJcdorJ9LcsqLAxSlrjeb2VtkwJxcCv4Xoko7LqikyviDkvln9GauDcgnbgLeyk7wVI3A=="
}
