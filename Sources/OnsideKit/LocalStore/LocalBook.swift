import Foundation
import OnsideAPI
import OnsideCommerce

/// What the local store remembers: accounts and what they bought. This is what it keeps on disk.
struct LocalBook: Codable, Hashable, Sendable {
  var version = 1
  /// Changes with every reset, so that cursors of the time before start over.
  let id: UUID
  var accounts: [LocalAccount] = []
  var orders: [OrderID: LocalOrder] = [:]
  var subscriptions: [LocalSubscription] = []
  /// What changed, oldest first; its length is the cursor.
  var changes: [LocalChange] = []
}

/// Somebody who has logged in.
struct LocalAccount: Codable, Hashable, Sendable {
  let id: AccountID
  let name: String
}

/// An order and what the store alone knows of it.
struct LocalOrder: Codable, Hashable, Sendable {
  let owner: AccountID
  var message: OrderMessage
  /// The offer that the price is of.
  var offer: AcceptedOffer?
  /// What a payment waits for.
  var waiting: Waiting?

  enum Waiting: String, Codable, Sendable {
    /// Somebody else has to allow it (Ask to Buy).
    case approval
    /// Something has to be settled first (an interrupted purchase).
    case issue
  }
}

/// The subscription of an account in a group.
struct LocalSubscription: Codable, Hashable, Sendable {
  let owner: AccountID
  let groupID: String
  var machine: SubscriptionMachine
  /// The order that the present chain of renewals began with.
  var first: OrderID
  /// The order of each paid period, by its number.
  var orders: [Int: OrderID] = [:]
  /// What the app called its user in the first order.
  var appAccountToken: String?
}

/// Something that a sync tells: an order, or that the account's region is another one.
struct LocalChange: Codable, Hashable, Sendable {
  let owner: AccountID
  var order: OrderID?
}
