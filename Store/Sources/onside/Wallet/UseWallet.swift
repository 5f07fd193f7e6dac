import ArgumentParser
import Foundation
import OnsideStore
import OnsideWallet
import Stellar
import StoreAccounts

extension WalletCommand {
  struct Address: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the wallet's address; needs no PIN.")

    @OptionGroup var options: WalletOptions

    func run() async throws { print(try options.service().storage.address) }
  }

  struct SignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Tries the PIN, and prints the address.")

    @OptionGroup var options: WalletOptions
    @OptionGroup var entry: SecretEntry

    func run() async throws {
      let service = try options.service()
      let pin = try entry.pin("PIN: ")
      print(try await service.opening { try await $0.signIn(pin: pin) })
    }
  }

  struct Sign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Signs a transaction or a message, after it has shown what it is.",
      discussion: "What is signed is shown on standard error; the result alone goes to standard output.")

    @OptionGroup var options: WalletOptions
    @OptionGroup var entry: SecretEntry
    @Option(help: "A transaction envelope in base64.") var transaction: String?
    @Option(help: "A text, signed by SEP-53.") var message: String?

    func run() async throws {
      let service = try options.service()
      let network = try WalletProfile.read(in: options.folder)?.stellarNetwork ?? .public
      switch (transaction, message) {
      case (let text?, nil):
        print(try await sign(try TransactionEnvelope(base64: text), with: service, network: network))
      case (nil, let text?): print(try await sign(text, with: service))
      default: throw CommandFailure("expected either --transaction BASE64 or --message TEXT")
      }
    }

    private func sign(_ envelope: TransactionEnvelope, with service: AuthService, network: Network) async throws
      -> String
    {
      try show(envelope.transaction.summary(on: network) + ["Signed by: \(try service.storage.address)"])
      let login = envelope.transaction.loginDomain.map { "log in to \(Legible.quoted(Array($0.utf8)))" }
      let pin = try entry.pin("PIN to \(login ?? "sign this"): ")
      return try await service.opening {
        try await $0.withSigningKey(pin: pin) { key in
          var envelope = envelope
          try envelope.sign(with: key, on: network)
          return envelope.base64
        }
      }
    }

    private func sign(_ text: String, with service: AuthService) async throws -> String {
      try show(["Message: \(Legible.quoted(Array(text.utf8)))", "Signed by: \(try service.storage.address)"])
      let pin = try entry.pin("PIN to sign this: ")
      let signature = try await service.opening {
        try await $0.withSigningKey(pin: pin) { $0.signature(ofMessage: text) }
      }
      return Data(signature).base64EncodedString()
    }

    /// Nothing is signed unless it was shown.
    private func show(_ lines: [String]) throws {
      do { try LineOutput.standardError.write(lines.joined(separator: "\n") + "\n") } catch {
        throw CommandFailure(
          "expected to show on standard error what is signed, but: \(error.localizedDescription). Nothing was signed.")
      }
    }
  }

  struct ChangePIN: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change-pin", abstract: "Puts another PIN in the place of one.",
      discussion: "With --pin-fd the first line is the old PIN, the second the new one.")

    @OptionGroup var options: WalletOptions
    @OptionGroup var entry: SecretEntry

    func run() async throws {
      let service = try options.service()
      let hasVault = try WalletProfile.read(in: options.folder)?.vault != nil
      let old = try entry.pin("PIN until now: ")
      let new = try entry.newPIN()
      try await service.opening { try await $0.changePIN(from: old, to: new) }
      print(
        hasVault
          ? "The new PIN counts. Copies of the wallet from before open nothing."
          : """
          The new PIN counts. There is no vault: a copy of the wallet and of this device's secret from before, back on \
          this device, still opens with the old PIN. Delete such copies.
          """)
    }
  }
}
