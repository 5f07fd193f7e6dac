import ArgumentParser
import Foundation
import OnsideStore
import OnsideWallet
import Stellar
import StoreAccounts

extension WalletCommand {
  struct LogIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "log-in", abstract: "Proves to a running store whose key this is (SEP-10).",
      discussion: """
        The store's challenge is a transaction that no network takes. It is checked against what the store says of
        itself before the PIN is asked, and signed after.

        With --challenge it ends a login that was begun on a page: the text that the page shows is checked and signed,
        and goes back there. The result alone is on standard output.
        """)

    @OptionGroup var options: WalletOptions
    @OptionGroup var entry: SecretEntry
    @Option(help: ArgumentHelp("The store. Default: the one whose vault counts the tries.", valueName: "url"))
    var store: String?
    @Option(help: ArgumentHelp("What a login page shows to sign.", valueName: "base64")) var challenge: String?
    @Flag(help: "Print the token, which logs its holder in for an hour.") var printToken = false

    func validate() throws {
      if challenge != nil && printToken {
        throw ValidationError("A page's challenge gives no token: give either --challenge or --print-token.")
      }
    }

    func run() async throws {
      let profile = try WalletProfile.read(in: options.folder)
      let service = try options.service()
      let account = try service.storage.address
      let network = profile?.stellarNetwork ?? .public
      let login = try WebLogin(store: try address(profile), network: network)
      let checked = try await fetch(login, for: account)
      say("Log in to \(login.domain) on \(network), as \(account)")
      say("The challenge was checked: it is this store's, for this account, good now, and no payment.")
      let pin = try entry.pin("PIN to log in: ")
      let signed = try await service.opening {
        try await $0.withSigningKey(pin: pin) { try login.sign(checked, with: $0) }
      }
      if challenge != nil {
        say("Signed. It goes back to the page, within \(minutes(checked)).")
        return print(signed)
      }
      show(try await login.exchange(signed, of: checked), login: login, account: account)
    }

    private func fetch(_ login: WebLogin, for account: AccountAddress) async throws -> WebLogin.Challenge {
      if let challenge { return try await login.challenge(challenge, for: account) }
      return try await login.challenge(for: account)
    }

    private func address(_ profile: WalletProfile?) throws -> URL {
      guard let text = store else {
        guard let vault = profile?.vault else {
          throw CommandFailure("expected --store URL: this wallet has no vault, whose store would be the default")
        }
        return vault
      }
      guard let url = URL(string: text), url.host() != nil else {
        throw CommandFailure("expected an address such as https://store.example, got \"\(text)\"")
      }
      return url
    }

    private func minutes(_ challenge: WebLogin.Challenge) -> String {
      let left = Double(challenge.content.timeBounds.maximum) - Date().timeIntervalSince1970
      return left < 120 ? "\(max(0, Int(left))) s" : "\(Int(left / 60)) minutes"
    }

    /// Prints the outcome on standard output; with `--print-token` on standard error, and the token on standard output.
    private func show(_ outcome: WebLoginOutcome, login: WebLogin, account: AccountAddress) {
      let lines = WalletText.login(outcome, domain: login.domain, account: account)
      guard printToken else { return print((lines + ["--print-token prints it."]).joined(separator: "\n")) }
      lines.forEach(say)
      print(outcome.token.text)
    }

    private func say(_ line: String) { try? LineOutput.standardError.write(line + "\n") }
  }
}

extension WalletText {
  /// The lines about the outcome of a login.
  static func login(_ outcome: WebLoginOutcome, domain: String, account: AccountAddress) -> [String] {
    let known: String? =
      switch outcome.hasAccount {
      case true?: "The store knows this wallet: it opens an account there."
      case false?:
        """
        New to the store: it has no account yet. The first login with this wallet in an app, or on the store's pages, \
        makes one.
        """
      case nil: nil
      }
    let end = outcome.tokenEnd.map { ", good until \($0.formatted(.iso8601))" } ?? ""
    return ["Logged in to \(domain) as \(account): the signature proved it."] + (known.map { [$0] } ?? []) + [
      "The store gave a token\(end)."
    ]
  }
}
