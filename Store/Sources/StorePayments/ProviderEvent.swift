package import Foundation
package import OnsideCommerce
package import StoreBase

/// Something that happened at a provider, in the store's terms. The order in which events arrive says nothing: the
/// state that one tells of is applied by its rank, and an event may be applied any number of times.
package struct ProviderEvent: Sendable, Hashable {
  /// The provider's id of the event, the same for every repetition: 1 to 128 bytes.
  package let id: String
  /// The environment that it happened in. An event of another one is refused.
  package let environment: StoreEnvironment
  /// What happened.
  package let kind: Kind

  package init(id: String, environment: StoreEnvironment, kind: Kind) {
    self.id = id
    self.environment = environment
    self.kind = kind
  }

  package enum Kind: Sendable, Hashable {
    /// The money of a charge is there.
    case succeeded(ChargeReport)
    /// A charge was refused.
    case declined(ChargeReport, DeclineReason)
    /// A charge was accepted; whether the money comes is not known yet.
    case pending(ChargeReport)
    /// A charge waits for the buyer.
    case requiresAction(ChargeReport)
    /// A charge has ended before any money came, and cannot be paid any more.
    case cancelled(ChargeReport)
    /// A part or the whole of a charge was given back.
    case refunded(ChargeReport, ProviderRefund)
    /// A refund did not reach the buyer, or came back.
    case refundFailed(ChargeReport, ProviderRefund)
    /// The buyer objects to a charge, or the buyer's bank asks about it. No money has moved.
    case disputeOpened(ChargeReport, ProviderDispute)
    /// The provider has taken the disputed amount out of what it holds for the store.
    case fundsWithdrawn(ChargeReport, ProviderDispute)
    /// The provider has put the disputed amount back.
    case fundsReinstated(ChargeReport, ProviderDispute)
    /// A dispute has ended.
    case disputeClosed(ChargeReport, ProviderDispute, DisputeOutcome)
    /// The bank says that a charge is probably a fraud: often a dispute follows.
    ///
    /// - Parameter reference: the provider's own id of the warning.
    case earlyFraudWarning(ChargeReport, reference: String)
    /// A method was saved without a payment (``PaymentProvider/beginSaving(_:)``).
    case methodSaved(MethodReport)
    /// The provider has new details of a saved method: a card was replaced.
    case methodUpdated(PaymentMethodDetails)
    /// A saved method can be charged no more.
    ///
    /// - Parameter reference: the provider's id of the method.
    case methodDetached(reference: String)
    /// Money has reached the store's bank account, or has not after all.
    case payout(ProviderPayout)
  }
}

/// The charge that an event is about.
package struct ChargeReport: Sendable, Hashable {
  /// The store's id of the payment (``ChargeRequest/id``), 1 to 128 bytes. For a charge that the store did not ask for,
  /// such as one that was made on the provider's own page: the provider's id of it.
  package let id: String
  /// The order that it pays.
  package let orderID: UUID
  /// The whole amount of the charge, also for a refund of a part.
  package let amount: Money
  /// The provider's own id of the charge.
  package var reference: String?
  /// The method that paid, where the provider can charge it again.
  package var method: PaymentMethodDetails?
  /// The country of the bank that gave out the card, where the provider tells it.
  package var cardCountry: CountryCode?
  /// What the provider took for the charge, or for its dispute. Each is booked once, however often it is told.
  package var fees: [ProviderFee] = []
  /// Whether the provider did not tell ``fees`` when it was asked: they are asked for once more.
  package var lacksFees = false

  package init(
    id: String, orderID: UUID, amount: Money, reference: String? = nil, method: PaymentMethodDetails? = nil,
    cardCountry: CountryCode? = nil, fees: [ProviderFee] = [], lacksFees: Bool = false
  ) {
    self.id = id
    self.orderID = orderID
    self.amount = amount
    self.reference = reference
    self.method = method
    self.cardCountry = cardCountry
    self.fees = fees
    self.lacksFees = lacksFees
  }
}
