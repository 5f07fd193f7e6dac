public import Foundation

/// A payment method of an account that can be charged again: never more than brand and last four digits.
public struct SavedPaymentMethod: Sendable, Hashable, Identifiable {
  /// Its id, a UUID in lower case.
  public var id: String
  /// The provider that stores it.
  public var provider: String
  /// Its brand and last digits.
  public var details: PaymentMethodDetails
  /// The time at which it was recorded, or became the account's default.
  public var createdAt: Date
  /// True in the account's own list, which payment pages offer; false for a method that only subscriptions use.
  public var isSaved = true
  /// True if the newest payment with it was declined: no page preselects it.
  public var isDeclined = false

  package init(
    id: String, provider: String, details: PaymentMethodDetails, createdAt: Date, isSaved: Bool = true,
    isDeclined: Bool = false
  ) {
    self.id = id
    self.provider = provider
    self.details = details
    self.createdAt = createdAt
    self.isSaved = isSaved
    self.isDeclined = isDeclined
  }
}
