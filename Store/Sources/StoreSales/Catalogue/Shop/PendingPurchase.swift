import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StoreWeb

/// The purchase that a buyer has chosen before the login. The address after the login carries it, with an HMAC over it
/// and the browser whose form sent it: another site cannot forge one.
struct PendingPurchase: Sendable {
  var product: String
  /// The id of the order to create: a repeated request creates no second order.
  var orderID: UUID
  /// The region whose price was shown.
  var country: String

  /// Reads the form of a product.
  init(_ form: FormFields) throws(PageProblem) {
    guard let product = form.single("product_id"), let id = form.single("order_id").flatMap(UUID.init(uuidString:)),
      let country = form.single("country")
    else { throw .form }
    (self.product, orderID, self.country) = (product, id, country)
  }

  /// Reads the address that ``address(_:app:browser:key:)`` made; nil when it was made for another browser or app, or
  /// changed.
  init?(_ query: FormFields, app: App, browser: String, key: SymmetricKey) {
    guard let wish = try? PendingPurchase(query), let seal = query.single("wish").flatMap(Base64URL.decode),
      HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: wish.message(app, browser: browser), using: key)
    else { return nil }
    self = wish
  }

  /// The address that continues the purchase, on the path of the app's shop.
  func address(_ path: String, app: App, browser: String, key: SymmetricKey) -> String {
    let seal = HMAC<SHA256>.authenticationCode(for: message(app, browser: browser), using: key)
    return path.appendingQuery([
      ("product_id", product), ("order_id", orderID.lowercase), ("country", country),
      ("wish", Base64URL.encode(Array(seal))),
    ])
  }

  /// The parts are kept apart by a character that none of them can have.
  private func message(_ app: App, browser: String) -> Data {
    Data(["wish", browser, app.id, product, orderID.lowercase, country].joined(separator: "\n").utf8)
  }
}
