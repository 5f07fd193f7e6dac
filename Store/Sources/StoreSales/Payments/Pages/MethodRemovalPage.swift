import StoreBase
import StoreWeb

/// Asks what becomes of the renewals that are charged to a payment method, before the method is removed.
package struct MethodRemovalPage: Page {
  /// A subscription that uses the method.
  struct Use: Sendable {
    var name: String
    var state: String
    var stateClass: String
    var detail: String
    /// The charge that another method makes at once; nil without one.
    var pays: String?
  }

  /// The value of the answer that ends the renewals.
  static let end = "end"

  var heading: String
  /// The reason why nothing was done.
  var error: String?
  var uses: [Use]
  /// The saved methods that can take its place, by their ids.
  var others: [PageOption]
  var method: String
  /// The stated charges, which the form sends back.
  var statement: String
  var action: String

  func title(_ texts: Texts) -> String { heading }

  static let template = String(embedded: PackageResources.MethodRemovalPage_mustache)
}
