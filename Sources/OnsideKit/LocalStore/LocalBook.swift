import Foundation
import OnsideAPI
import OnsideCommerce

/// The stored state of the local store: accounts and their purchases. It is kept on disk.
struct LocalBook: Codable, Hashable, Sendable {
  var version = 1
  /// A new id after every reset, so that older cursors start over.
  let id: UUID
  var accounts: [LocalAccount] = []
  var orders: [OrderID: LocalOrder] = [:]
  var subscriptions: [SubscriptionEntry] = []
  /// The changes, oldest first; their count is the cursor.
  var changes: [LocalChange] = []
  /// Prices that have taken the place of the file's, by product.
  var prices: [String: Money]?
}

/// An account of the local store, made at its first login.
struct LocalAccount: Codable, Hashable, Sendable {
  let id: AccountID
  let name: String
}

/// The subscription of an account in a group.
struct SubscriptionEntry: Codable, Hashable, Sendable {
  let owner: AccountID
  let groupID: String
  var machine: SubscriptionMachine
  /// The order that the present chain of renewals began with.
  var first: OrderID
  /// The order of each paid period, by its number.
  var orders: [Int: OrderID] = [:]
  /// The `appAccountToken` of the last order that the app made; renewals have the same.
  var appAccountToken: String?
  /// The charges that are to be refused; nil for none.
  var refusals: LocalRefusals?
  /// When the price was last raised for the account.
  var raisedAt: Date?

  /// The `appAccountToken` while the subscription is active: a change of plan has the same. An expired subscription
  /// passes none on.
  var activeToken: String? { machine.isSubscribed ? appAccountToken : nil }
}

/// A change that a sync reports: an order; when `order` is nil, another region of the account or a change of one of its
/// subscriptions.
struct LocalChange: Codable, Hashable, Sendable {
  let owner: AccountID
  var order: OrderID?
}
