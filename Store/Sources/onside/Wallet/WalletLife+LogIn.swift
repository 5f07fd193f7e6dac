import Foundation
import Logging
import OnsideKit
import OnsideWallet
import Stellar

/// The login.
extension WalletLife {
  func logIn(_ address: String) async throws {
    let outcome = try await exchange(pin: "271809")
    try prove(
      "The wallet checks the store's challenge and signs it; the store sees who it is, and gives a token",
      outcome.tokenEnd.map { $0 > Date() } == true)
    try prove("The store has no account of this wallet yet", outcome.hasAccount == false)
    try prove("The token prints as \(outcome.token)", "\(outcome.token)" == "redacted")
    try await refuse(address)
    let country = try await appLogsIn(address)
    try prove("An app logs in with the wallet and shows no page: an account in \(country)", country == "NL")
    try prove("Now the store knows the wallet", try await exchange(pin: "271809").hasAccount == true)
  }

  /// Logs in as `onside wallet log-in` does.
  func exchange(pin: String) async throws -> WebLoginOutcome {
    let login = try WebLogin(store: store, network: .test)
    let challenge = try await login.challenge(for: try service().storage.address)
    let signed = try await service().withSigningKey(pin: PIN(pin)) { try login.sign(challenge, with: $0) }
    return try await login.exchange(signed, of: challenge)
  }

  private func refuse(_ address: String) async throws {
    let (account, login) = (try AccountAddress(address), try WebLogin(store: store, network: .test))
    let challenge = try await login.challenge(for: account)
    let signed = try await service().withSigningKey(pin: PIN("271809")) { try login.sign(challenge, with: $0) }
    _ = try await login.exchange(signed, of: challenge)
    try prove(
      "The same signed challenge a second time is refused by the store",
      await failure { try await login.exchange(signed, of: challenge) } == "refused")
    let late = try WebLogin(store: store, network: .test, now: { Date() + 901 })
    try prove(
      "A challenge that is 15 minutes old is not signed",
      await failure { try await late.challenge(for: account) } == "expired")
    try prove(
      "A wallet of another network signs nothing here",
      await failure { try await WebLogin(store: store, network: .public).challenge(for: account) } == "network")
  }

  /// Logs a separate app in by the store's login page, without showing the page. Returns the app's storefront.
  @MainActor
  private func appLogsIn(_ address: String) async throws -> String {
    guard let redirect = URL(string: "http://127.0.0.1/callback") else { return "" }
    let presenter = WalletPresenter(
      account: address, country: "NL", redirect: redirect, others: TerminalPresenter()
    ) { challenge in
      let rules = try WebAuthentication(
        homeDomain: challenge.homeDomain, information: StellarInformation(challenge.information), network: .test)
      return try await service().withSigningKey(pin: PIN("271809")) {
        try rules.sign(
          challenge.transaction, for: MuxedAccount(challenge.account), with: $0,
          now: UInt64(Date().timeIntervalSince1970))
      }
    }
    let silent = Logger(label: "app") { _ in SwiftLogNoOpLogHandler() }
    var dependencies = Dependencies.live(
      storageFolder: folder.appending(path: "app"), screens: presenter, logger: silent)
    dependencies.keepSecretsInFiles()
    let client = OnsideClient(
      configuration: try OnsideConfiguration(
        storeURL: store, appIdentifier: "io.example.lumen", storageFolder: folder.appending(path: "app")),
      dependencies: dependencies)
    try await client.login()
    let country = client.defaultPaymentQueue().storefront?.countryCode ?? "none"
    await client.close()
    return country
  }
}
