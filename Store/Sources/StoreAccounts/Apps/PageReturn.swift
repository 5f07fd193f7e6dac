import OnsideAPI
import OnsideCommerce
import StoreBase
package import StoreWeb

/// The return address, the look and the buyer of a hosted page, from the query of the page's address. Every form of the
/// page keeps them.
package struct PageReturn: Sendable {
  /// The app's address to return to; nil when the buyer opened the page from the store's own shop.
  package let address: String?
  /// The app's `state` parameter, a secret that the redirect repeats, so that the app can match it to its request.
  let state: String?
  /// The app's token for its user, as ``AccountTokenSeal`` has sealed it.
  package let buyer: String?
  /// These parameters, which every form and every other address of the page repeats.
  package let fields: [(String, String)]
  /// The query of ``fields``.
  package var query: String { "".appendingQuery(fields) }

  /// The name of the parameter with ``buyer``.
  package static let buyerField = "buyer"

  /// Reads the query of a page; an address that is not the app's is refused.
  package init(_ fields: FormFields, app: App?) throws(PageProblem) {
    address = fields["return_uri"]
    if let address, app?.accepts(redirect: address) != true { throw .unknownRedirect }
    state = fields["state"]
    buyer = fields[Self.buyerField]
    self.fields = ["return_uri", "state", "theme", "ui_locales", Self.buyerField].compactMap { name in
      fields[name].map { (name, $0) }
    }
  }

  /// The app's address with the outcome of an order. The app does not trust the outcome: it asks the store.
  package func location(order: String, outcome: String) -> String? {
    address?.appendingQuery([("order_id", order), ("outcome", outcome)] + stateField)
  }

  /// The app's address without an outcome.
  package var location: String? { address?.appendingQuery(stateField) }

  private var stateField: [(String, String)] { state.map { [("state", $0)] } ?? [] }

  /// The button that leads back into the app; nil when the page was not opened by one.
  package func link(to app: App?, texts: Texts) -> PageLink? {
    location.map { PageLink(label: texts(.backToApp, ["app": (app?.name ?? "").isolated]), address: $0) }
  }

  /// That the page is over: with the way back into the app, when it was opened by one.
  package func gone(to app: App?) -> PageProblem {
    location.map { .over(app: app?.name ?? "", back: $0) } ?? .gone
  }

  package var targets: [String] { address.map { [$0] } ?? [] }
}

extension App {
  /// The app's own address, which opens it on a phone; nil when it has registered only web addresses.
  package var homeAddress: String? {
    redirectURIs.first { !$0.lowercased().hasPrefix("http:") && !$0.lowercased().hasPrefix("https:") }
  }

  /// The address of the landing page's button; nil when the app has registered neither.
  package var installAddress: String? { installURI ?? homeAddress }
}
