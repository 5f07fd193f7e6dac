import Foundation
import OnsideCommerce
import StorePayments

/// A movement of the account's balance.
struct StripeBalanceTransaction: StripeObject {
  let id: String
  let amount: Int64
  let fee: Int64
  let currency: String
}

/// Money that Stripe sent to the account's bank.
struct StripePayout: StripeObject {
  let id: String
  let amount: Int64
  let currency: String
  let created: Int64
  let arrivalDate: Int64
  /// `paid`, `pending`, `in_transit`, `canceled` or `failed`.
  let status: String

  /// What the store books; nil while it is on its way, and in a currency that the store does not know.
  var record: ProviderPayout? {
    guard let state, let money = StripeAmount.money(amount, currency: currency) else { return nil }
    return ProviderPayout(
      reference: id, amount: money, state: state,
      date: Date(timeIntervalSince1970: TimeInterval(max(created, arrivalDate))))
  }

  private var state: ProviderPayout.State? {
    switch status {
    case "paid": .paid
    case "failed", "canceled": .failed
    default: nil
    }
  }
}

/// The account's balance, which a key of the same mode can ask for.
struct StripeBalance: Decodable, Sendable { let livemode: Bool }
