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
