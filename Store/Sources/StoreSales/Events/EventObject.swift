package import StoreAccounts

/// An object of an app's events.
package struct EventObject: Hashable, Sendable {
  /// The kinds of objects.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A paid order. The id is its UUID in lower case.
    case order
    /// A subscription. The id is `<subject>/<group>`.
    case subscription
    /// An account in an app. The id is its subject.
    case customer
  }

  package let kind: Kind
  /// The id, unique within the app and kind.
  package let id: String
  /// The account and the app.
  package let customer: Customer
  /// The app's token for its user, of the object or its newest purchase.
  package let appAccountToken: String?
  /// The pseudonym of the account in the app. The account of an order is replaced when it is removed, the subject of
  /// its events is not.
  package let subject: String

  /// - Parameter subject: nil for the customer's.
  package init(
    kind: Kind, id: String, customer: Customer, appAccountToken: String?, subject: String? = nil
  ) {
    self.kind = kind
    self.id = id
    self.customer = customer
    self.appAccountToken = appAccountToken
    self.subject = subject ?? customer.subject
  }
}
