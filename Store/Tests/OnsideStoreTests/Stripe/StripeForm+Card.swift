import StripeDouble

@testable import StoreStripe

extension StripeForm {
  /// A card as a page sends it.
  static func card(_ number: String) -> StripeForm {
    var form = StripeForm()
    for (name, value) in EnteredCard.parameters(number) { form.set(name, to: value) }
    return form
  }
}
