import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// A message about a subscription: what it tells, and what became of it. It is kept as evidence of what was told.
struct SubscriberMessage: Sendable, Hashable {
  /// What became of a message.
  enum Outcome: String, Sendable {
    case sent
    /// It was not true any more when it was to be sent: the renewal is off, or the plan, price or date another one.
    case dropped
    /// The account has no address that the store can reach.
    case unreachable
    /// The gateway or mail server has refused it for good.
    case refused
    /// It may have been sent: there was no answer, or the store stopped meanwhile. It is not sent again.
    case unclear
  }

  let id: String
  let key: SubscriptionKey
  let notice: SubscriptionNotice
  /// The product that the price is of.
  let product: String
  /// What is charged, or was to be charged.
  let price: Money
  /// What was charged before, of messages about a new price.
  var oldPrice: Money?
  /// The change of price that it tells.
  var priceChange: String?
  let createdAt: Date
  /// When it was handed to a sender: written before, so that it is not handed over twice.
  var triedAt: Date?
  var outcome: Outcome?

  /// What has caused it: one message for each. It is told again when another one was told in between.
  var cause: String {
    let moments = "\(notice.date.millisecondsSince1970) \(createdAt.millisecondsSince1970)"
    return priceChange ?? "\(notice.kind.rawValue) \(moments)"
  }
}
