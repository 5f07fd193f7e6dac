import Foundation
import OnsideCommerce

/// A movement of the account's balance.
struct StripeBalanceTransaction: StripeObject {
  let id: String
  let amount: Int64
  let fee: Int64
  let net: Int64
  let currency: String
  let created: Int64
  /// `charge`, `refund`, `adjustment`, `payout`, or another.
  let type: String
  var reportingCategory: String?
  var source: StripeReference?
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

/// The account's balance, by currency.
struct StripeBalance: Decodable, Sendable {
  struct Amount: Decodable, Sendable, Hashable {
    let amount: Int64
    let currency: String
  }

  let available: [Amount]
  let pending: [Amount]
  let livemode: Bool
}

/// The account that a key belongs to.
struct StripeAccount: StripeObject {
  let id: String
  var country: String?
  var chargesEnabled: Bool?
  var payoutsEnabled: Bool?
}
