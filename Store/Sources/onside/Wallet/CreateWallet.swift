import ArgumentParser
import Foundation
import OnsideWallet
import Stellar

extension WalletCommand {
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a key from 24 new words, and keeps it behind a PIN.",
      discussion: "The words are shown once, and three of them asked back. With --pin-fd they are not shown: see words."
    )

    @OptionGroup var options: WalletOptions
    @OptionGroup var new: NewWalletOptions
    @OptionGroup var entry: SecretEntry

    func run() async throws {
      let profile = try new.profile()
      let service = try options.newService(profile)
      guard try !service.userIsSignedUp else { throw WalletError.alreadySignedUp }
      let words = Mnemonic.random()
      // The PIN first: it must be refused before the user writes the words down.
      let pin = try entry.newPIN()
      if entry.isTyped { try WordSheet(words).showOnce() }
      let address = try await service.signUp(words: words, pin: pin)
      print(address)
      print(try WalletText.protection(of: service, profile))
    }
  }
}

/// The terminal's sheet of recovery words: shows them once, and asks for three of them.
struct WordSheet {
  private let words: Mnemonic

  init(_ words: Mnemonic) { self.words = words }

  func showOnce() throws {
    try Terminal.show("These words are the key. Write them down; the store cannot recover them.\n\n")
    try show()
    try Terminal.show("\n")
    for place in (1...words.count).shuffled().prefix(3).sorted() {
      let line = try Terminal.line("Word \(place), as you wrote it: ")
      guard line.withBytes({ isWord($0, at: place) }) else {
        throw CommandFailure("expected word \(place) as it was shown, got another; nothing was made. Begin again.")
      }
    }
  }

  /// In rows of six.
  func show() throws {
    try words.withWords { text in
      for (place, word) in text.split(separator: 0x20).enumerated() {
        try Terminal.show(UnsafeRawBufferPointer(rebasing: word))
        try Terminal.show(place % 6 == 5 ? "\n" : " ")
      }
    }
  }

  private func isWord(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    words.withWords { $0.split(separator: 0x20)[place - 1].elementsEqual(bytes) }
  }
}

/// The texts of the commands about a wallet.
enum WalletText {
  /// The place of a new wallet's device secret, and the limit of PIN guesses. Sends no request to the vault.
  static func protection(of service: AuthService, _ profile: WalletProfile) throws -> String {
    let rule = try profile.vault == nil ? limit(service.storage.status()) : limit(.server)
    return "The device's secret is kept by: \((profile.deviceSecret ?? .file).name).\n\(rule)"
  }

  static func limit(_ status: WalletStatus) -> String {
    guard let lockout = status.lockout, status.limit == .tpm else { return limit(status.limit) }
    let years = lockout.interval * max(0, 1_000_000 - lockout.tries) / 31_557_600
    return
      "Limited by the TPM: it locks at \(lockout.tries) wrong PINs, then allows one each \(lockout.interval) s, which "
      + "makes \(years) years for six digits."
  }

  private static func limit(_ limit: AttemptLimit) -> String {
    switch limit {
    case .server: "The vault counts wrong PINs, and destroys its half of the key at the tenth."
    case .tpm: "The TPM counts wrong PINs, and locks."
    default:
      "ATTEMPTS NOT LIMITED: an attacker who copies this wallet and the device's secret tries every PIN in hours, "
        + "or in minutes on rented machines. A passphrase withstands that, six digits do not."
    }
  }
}
