import OnsideAPI
import OnsideCommerce

/// Where a hosted page leads back to, and how it looks: what the app adds to the page's address, kept from form to form.
struct PageReturn: Sendable {
  /// The app's address to return to; nil for somebody who came from the store's own shop.
  let address: String?
  /// What the redirect has to carry, so that the app knows it for its page's; the app's own secret.
  let state: String?
  /// The query that keeps all this, to be added to the addresses of the page's forms.
  let query: String

  /// Reads the query of a page; an address that is not the app's is refused.
  init(_ fields: FormFields, app: App?) throws(PageProblem) {
    address = fields["return_uri"]
    if let address, app?.accepts(redirect: address) != true { throw .unknownRedirect }
    state = fields["state"]
    let kept = ["return_uri", "state", "theme", "ui_locales"].compactMap { name in fields[name].map { (name, $0) } }
    query = "".appendingQuery(kept)
  }

  /// The app's address, with what became of an order. The app believes none of it: it asks the store.
  func location(order: String, outcome: String) -> String? {
    address?.appendingQuery([("order_id", order), ("outcome", outcome)] + stateField)
  }

  /// The app's address, for a page that has nothing to tell.
  var location: String? { address?.appendingQuery(stateField) }

  private var stateField: [(String, String)] { state.map { [("state", $0)] } ?? [] }

  var targets: [String] { address.map { [$0] } ?? [] }
}

extension App {
  /// The app's own address, which opens it on a phone; nil when it has registered only web addresses.
  var homeAddress: String? {
    redirectURIs.first { !$0.lowercased().hasPrefix("http:") && !$0.lowercased().hasPrefix("https:") }
  }

  /// Where the landing page's button leads; nil when the app has registered neither.
  var installAddress: String? { installURI ?? homeAddress }
}
