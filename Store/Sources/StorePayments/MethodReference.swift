/// A method as its provider names it: two of the same name are the same method, whatever else is known of them.
package struct MethodReference: Sendable, Hashable {
  let provider: String
  /// The provider's id of it.
  let id: String

  package init(provider: String, id: String) { (self.provider, self.id) = (provider, id) }

  package init(provider: String, _ details: PaymentMethodDetails) {
    self.init(provider: provider, id: details.reference)
  }
}

extension SavedPaymentMethod {
  package var reference: MethodReference { MethodReference(provider: provider, details) }
}
