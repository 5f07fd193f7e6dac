import ArgumentParser
import OnsideCommerce
import OnsideStore
import StoreAccounts

/// The options that describe an app at its registration. An option that is left out keeps its value.
struct AppDetails: ParsableArguments {
  @Option(help: "The name that people see. Default: the identifier.") var name: String?
  @Option(
    help: ArgumentHelp(
      "Where the store may send a browser back to; repeat it for more. "
        + "Default: the identifier as a scheme, and loopback.",
      valueName: "uri"))
  var redirect: [String] = []
  @Option(
    help: ArgumentHelp(
      "The SDK's callbackScheme of the app: the store may send people back to SCHEME://onside, too.",
      valueName: "scheme"))
  var callbackScheme: String?
  @Option(help: ArgumentHelp("The app's region where none is known (ISO 3166-1 alpha-2).", valueName: "code"))
  var region: String?

  @Option(
    help: ArgumentHelp(
      "Where the button of the app's landing page leads. Default: the app's own scheme.", valueName: "uri"))
  var install: String?

  @Option(
    help: ArgumentHelp(
      "Which refunds take a purchase away: those of the whole price, or any. Default: whole.", valueName: "rule"))
  var refundsRevoke: RefundRule?
  @Option(
    help: ArgumentHelp(
      "When a dispute takes a purchase away: when it is lost, or when the bank takes the money. Default: lost.",
      valueName: "rule"))
  var disputesRevoke: DisputeRule?
  @Option(
    help: ArgumentHelp(
      "What a bank's early fraud warning does: keep writes it down, refund gives the money back. Default: keep.",
      valueName: "rule"))
  var fraudWarnings: FraudRule?

  /// The options, for the audit.
  var arguments: [String: String?] {
    [
      "name": name, "redirect": redirect.isEmpty ? nil : redirect.joined(separator: " "),
      "callback-scheme": callbackScheme, "region": region, "install": install,
      "refunds-revoke": refundsRevoke?.rawValue, "disputes-revoke": disputesRevoke?.rawValue,
      "fraud-warnings": fraudWarnings?.rawValue,
    ]
  }

  /// Registers an app or changes it.
  func register(_ id: String, in core: StoreCore) async throws -> App {
    let known = core.apps.app(id)
    var redirects = redirect.isEmpty ? known?.redirectURIs ?? Self.usualRedirects(id) : redirect
    let callback = callbackScheme.map { "\($0)://onside" }
    if let callback, !redirects.contains(callback) { redirects.append(callback) }
    let app = App(
      id: id, name: name ?? known?.name ?? id, redirectURIs: redirects,
      defaultCountry: try country ?? known?.defaultCountry, installURI: install ?? known?.installURI,
      rules: rules(known?.rules ?? RevocationRules()))
    try await core.apps.register(app)
    return app
  }

  private func rules(_ known: RevocationRules) -> RevocationRules {
    RevocationRules(
      refund: refundsRevoke ?? known.refund, dispute: disputesRevoke ?? known.dispute,
      fraud: fraudWarnings ?? known.fraud)
  }

  private var country: CountryCode? {
    get throws {
      guard let region else { return nil }
      guard let country = CountryCode(alpha2: region) else {
        throw CommandFailure("--region: expected an ISO 3166-1 alpha-2 country code such as NL, got \"\(region)\"")
      }
      return country
    }
  }

  private static func usualRedirects(_ id: String) -> [String] {
    ["\(id)://onside", "\(id)://callback", "http://127.0.0.1/callback"]
  }
}

extension StoreCore {
  /// The app with an identifier; an unknown one is an error that names the known ones.
  func registered(_ id: String) throws -> App {
    if let app = apps.app(id) { return app }
    let known = apps.all.map(\.id).joined(separator: ", ")
    throw CommandFailure(
      "expected a registered app, got \"\(id)\"; " + (known.isEmpty ? "none is registered" : "registered: \(known)"))
  }
}
