import Foundation
import OnsideCommerce

/// A payment as it is handed to a provider.
struct ProviderPayment: Sendable, Codable {
  /// Made by the store; the provider knows a repetition by it.
  let id: String
  let orderID: String
  let method: String
  let amount: Int64
  let currency: String
  /// Which call about this payment it is, counted from 1; nil in what was written down before calls were counted.
  var step: Int64? = nil
  /// Until when the payment may be started; nil in what was written down before there was a limit.
  var startBefore: Date? = nil
}

/// What a provider says at once about a payment it was handed. What became of it comes as an event.
enum ProviderAnswer: Sendable {
  /// Taken; an event has told, or will tell.
  case accepted
  /// The buyer must do a second step first.
  case needsSecondStep
}

/// What a provider has of a payment.
struct ProviderRecord: Sendable, Hashable {
  let kind: ProviderEvent.Kind
  let amount: Int64
  let currency: String

  /// The amount; nil when there is no such currency.
  var money: Money? { Money(minorUnits: amount, currencyCode: currency) }
}

/// Who moves money. Every call may be repeated: the ids make repetitions harmless.
protocol PaymentProvider: Sendable {
  /// Asks for a payment.
  func start(_ payment: ProviderPayment) async throws -> ProviderAnswer
  /// Goes on with a payment whose second step is done.
  func confirm(_ payment: ProviderPayment) async throws
  /// Gives the money of a payment back.
  func refund(_ payment: ProviderPayment) async throws
  /// What became of a payment; nil when the provider has never heard of it.
  func status(of payment: ProviderPayment) async throws -> ProviderRecord?
}
