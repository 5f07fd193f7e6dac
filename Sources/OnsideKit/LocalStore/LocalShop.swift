import Foundation
import OnsideAPI
import OnsideCommerce

/// The store of a `.storekit` file as plain values: what it sells, how it behaves and what was bought. It follows the
/// same rules as a store over HTTP; the time and new ids are arguments.
struct LocalShop: Sendable {
  let configuration: StoreKitConfiguration
  /// The products of the file.
  let catalogue: Catalogue
  var settings: StoreKitSettings
  /// The region of every account.
  private(set) var storefront: CountryCode
  /// Whether payments are interrupted until the user resolves an issue.
  var interruptsPurchases = false
  /// Whether the store is unreachable.
  var isOffline = false
  /// The failures of the next calls, by operation.
  var failures: [LocalStore.Operation: [LocalStore.Failure]] = [:]
  var book: LocalBook
  /// Events of subscriptions since the listener was last called.
  var subscriptionNotes: [LocalNote] = []
  /// The landing page's address that installations are told.
  var refererURL: URL?
  /// Makes an id that sorts by the time given.
  private let makeID: @Sendable (Date) -> UUID

  init(_ configuration: StoreKitConfiguration, book: LocalBook, newID: @escaping @Sendable (Date) -> UUID) {
    self.configuration = configuration
    catalogue = configuration.catalogue()
    settings = configuration.settings
    storefront = settings.storefront
    self.book = book
    makeID = newID
  }

  func newID(at now: Date) -> UUID { makeID(now) }

  // MARK: Accounts

  /// The account of a name, made when it is new.
  mutating func account(named name: String, at now: Date) -> AccountID {
    if let known = book.accounts.first(where: { $0.name == name }) { return known.id }
    let account = LocalAccount(id: AccountID(newID(at: now)), name: name)
    book.accounts.append(account)
    return account.id
  }

  func check(_ account: AccountID) throws(StoreError) {
    guard book.accounts.contains(where: { $0.id == account }) else { throw .notSignedIn }
  }

  // MARK: Region

  /// Moves every account to another region. Open orders are cancelled.
  mutating func move(to country: CountryCode, at now: Date) {
    guard country != storefront else { return }
    storefront = country
    settings.storefront = country
    for account in book.accounts { book.changes.append(LocalChange(owner: account.id)) }
    for order in orders(where: { $0.message.state == .open }) {
      giveUp(order.message.id, because: .storefrontChanged, at: now)
    }
  }

  // MARK: Orders

  /// Sorted by id, so that the order never depends on a dictionary's.
  func orders(where isWanted: (LocalOrder) -> Bool) -> [LocalOrder] {
    book.orders.values.filter(isWanted).sorted { $0.message.id.description < $1.message.id.description }
  }

  /// Stores an order, as a change that syncs report.
  mutating func record(_ order: LocalOrder) {
    book.orders[order.message.id] = order
    book.changes.append(LocalChange(owner: order.owner, order: order.message.id))
  }

  mutating func change(_ id: OrderID, _ change: (inout LocalOrder) -> Void) {
    guard var order = book.orders[id] else { return }
    let before = order
    change(&order)
    if order != before { record(order) }
  }
}
