package import OnsideCommerce

/// Where a charge stands at its provider.
package enum ChargeState: Sendable, Hashable {
  /// The money is there.
  case succeeded
  /// Accepted; whether the money comes is not known yet.
  case pending
  /// The buyer has to do something on ``PaymentProvider/actionPage(_:)`` first. Nothing was charged.
  case requiresAction
  /// Refused. Another method may be tried.
  case declined(DeclineReason)
  /// Ended before any money came: it cannot be paid any more.
  case cancelled
}

/// The reason of a declined charge. A provider maps its own codes to these reasons. Pages never show the code, which
/// might warn a thief.
package struct DeclineReason: RawRepresentable, Sendable, Hashable {
  package let rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The method will never pay again: it is lost, expired, or its owner has forbidden it. Ask for another one.
  package static let never = DeclineReason(rawValue: "never")
  /// It may pay later: no funds, or the issuer did not say why.
  package static let later = DeclineReason(rawValue: "later")
  /// The buyer has to confirm it: bring the buyer to the payment page.
  package static let askBuyer = DeclineReason(rawValue: "ask_buyer")
  /// The provider rejects the charge with every method: for its amount, or a currency that its account does not have.
  package static let unchargeable = DeclineReason(rawValue: "unchargeable")

  /// Whether the same method is charged again only with its buyer.
  package var isFinal: Bool { self == .never || self == .askBuyer }
}

/// What a provider has of a charge.
package struct ProviderCharge: Sendable, Hashable {
  /// Where it stands. A charge that was refunded has succeeded.
  package let state: ChargeState
  /// How much was moved or refused, in the currency's smallest unit.
  package let amount: Int64
  /// ISO 4217.
  package let currency: String
  /// How much of it was given back.
  package var refunded: Int64 = 0
  /// The provider's own id of the charge, which it gets with later requests.
  package var reference: String?
  /// The method of a succeeded charge, where the provider can charge it again.
  package var method: PaymentMethodDetails?
  /// The country of the bank that gave out the card, where the provider tells it.
  package var cardCountry: CountryCode?

  package init(
    state: ChargeState, amount: Int64, currency: String, refunded: Int64 = 0, reference: String? = nil,
    method: PaymentMethodDetails? = nil, cardCountry: CountryCode? = nil
  ) {
    self.state = state
    self.amount = amount
    self.currency = currency
    self.refunded = refunded
    self.reference = reference
    self.method = method
    self.cardCountry = cardCountry
  }

  /// The amount; nil when there is no such currency.
  package var money: Money? { Money(minorUnits: amount, currencyCode: currency) }
}

/// What a provider says at once about a charge.
package enum ChargeAnswer: Sendable {
  /// Taken: an event has told what became of it, or will.
  case accepted
  /// What the provider has now.
  case known(ProviderCharge)
}
