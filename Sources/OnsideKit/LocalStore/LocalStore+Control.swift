public import Foundation
import OnsideAPI
public import OnsideCommerce

/// The controls of the store: what Xcode's transaction manager does with buttons. Clients hear of every change within
/// one sync, as if it came from a store elsewhere.
extension LocalStore {
  /// Calls that can be made to fail.
  public enum Operation: String, CaseIterable, Sendable {
    /// Loading products.
    case loadProducts = "Load Products"
    /// Paying: the payment page tells of it, and the user may try again.
    case purchase = "Purchase"
    /// Restoring.
    case restore = "App Store Sync"
  }

  /// How a call fails.
  public enum Failure: Hashable, Sendable {
    /// No answer came.
    case connection
    /// The store has a problem of its own.
    case serviceUnavailable
    /// The answer made no sense.
    case internalError
  }

  /// The name that the login page suggests, and that logs in when no pages are shown.
  public static let defaultAccount = "Tester"

  /// The address of the visit that ``Onside/getAttributionMetadata(completion:)`` returns; nil for none. A client keeps
  /// the first answer that it gets.
  public var refererURL: URL? {
    get { look { shop, _ in shop.refererURL } }
    set { control { shop, _ in shop.refererURL = newValue } }
  }

  /// How the store behaves. It begins with the file's settings; what is changed here is not kept. The grace period
  /// counts for what is bought afterwards, the speed for accounts that subscribe for the first time afterwards.
  public var settings: StoreKitSettings {
    get { look { shop, _ in shop.settings } }
    set {
      control { shop, now in
        shop.move(to: newValue.storefront, at: now)
        shop.settings = newValue
      }
    }
  }

  /// The region that every account is in. Prices elsewhere are the file's numbers in the currency there.
  public var storefront: CountryCode {
    get { region }
    set { control { shop, now in shop.move(to: newValue, at: now) } }
  }

  /// True when the store cannot be reached.
  public var isOffline: Bool {
    get { look { shop, _ in shop.isOffline } }
    set { control { shop, _ in shop.isOffline = newValue } }
  }

  /// True when each payment stops until ``approve(_:)`` settles what is in its way, or ``decline(_:)`` gives it up.
  public var interruptsPurchases: Bool {
    get { look { shop, _ in shop.interruptsPurchases } }
    set { control { shop, _ in shop.interruptsPurchases = newValue } }
  }

  /// Lets the next calls of a kind fail, one after the other.
  public func failNext(_ operation: Operation, with failures: Failure...) {
    control { shop, _ in shop.failures[operation, default: []] += failures }
  }

  /// Every transaction, oldest first, of one account or of all.
  public func transactions(of account: String? = nil) -> [LocalTransaction] {
    look { shop, _ in
      let names = Dictionary(shop.book.accounts.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
      return shop.book.orders.values.compactMap { order in
        let name = names[order.owner] ?? ""
        return account == nil || account == name ? LocalTransaction(order, account: name) : nil
      }
      .sorted { $0.id.uuidString < $1.id.uuidString }
    }
  }

  /// Buys a product elsewhere, as on another device of the account, and pays for it; several of a consumable at once.
  /// - Returns: the transaction's id; nil when the store does not sell the product, or not in this quantity.
  @discardableResult
  public func buy(
    _ productIdentifier: String, quantity: Int = 1, as account: String = LocalStore.defaultAccount
  ) -> UUID? {
    control { shop, now in
      let owner = shop.account(named: account, at: now)
      let id = OrderID(shop.newID(at: now))
      let request = OrderRequest(productID: productIdentifier, country: shop.storefront, quantity: quantity)
      guard (try? shop.makeOrder(id, request: request, by: owner, at: now)) != nil else { return nil }
      shop.pay(id, at: now)
      return id.uuid
    }
  }

  /// Lets a payment go on that waits for approval or is interrupted; answers whether there is one.
  @discardableResult
  public func approve(_ transaction: UUID) -> Bool {
    control { shop, now in
      guard shop.book.orders[OrderID(transaction)]?.waiting != nil else { return false }
      shop.pay(OrderID(transaction), at: now)
      return true
    }
  }

  /// Gives a payment up that waits for approval or is interrupted; answers whether there is one.
  @discardableResult
  public func decline(_ transaction: UUID) -> Bool {
    control { shop, now in
      guard shop.book.orders[OrderID(transaction)]?.waiting != nil else { return false }
      shop.cancelUnpaid(OrderID(transaction), because: .user, at: now)
      return true
    }
  }

  /// Gives the money of a purchase back, which ends what it gave; answers whether there is one.
  @discardableResult
  public func refund(_ transaction: UUID, _ reason: RevocationReason = .refund) -> Bool {
    control { shop, now in shop.refund(OrderID(transaction), reason: reason, at: now) }
  }

  /// Does now what is due next to a subscription: renews it, or tries a failed payment again; answers whether there is
  /// something.
  @discardableResult
  public func renew(_ productIdentifier: String, of account: String = LocalStore.defaultAccount) -> Bool {
    (try? subscription(productIdentifier, of: account).renew()) != nil
  }

  /// Ends a subscription now; answers whether there is one.
  @discardableResult
  public func expire(_ productIdentifier: String, of account: String = LocalStore.defaultAccount) -> Bool {
    (try? subscription(productIdentifier, of: account).expire()) != nil
  }

  /// Switches the renewal of a subscription off or on, as its owner would; answers whether there is one.
  @discardableResult
  public func setAutoRenew(
    _ isOn: Bool, for productIdentifier: String, of account: String = LocalStore.defaultAccount
  ) -> Bool {
    let subscription = subscription(productIdentifier, of: account)
    return (isOn ? try? subscription.switchOnRenewal() : try? subscription.switchOffRenewal()) != nil
  }

  /// Forgets every account and purchase. Clients that are signed in are signed out at their next call.
  public func reset() {
    control { shop, now in
      shop.book = LocalBook(id: shop.newID(at: now))
      shop.failures = [:]
    }
  }
}

/// A transaction of a local store, as its transaction manager shows it.
public struct LocalTransaction: Hashable, Sendable {
  /// Where a transaction stands.
  public enum State: String, Sendable {
    /// Its payment page is open.
    case open
    /// It waits for ``LocalStore/approve(_:)`` or ``LocalStore/decline(_:)``.
    case waiting
    /// Paid.
    case purchased
    /// Given up.
    case cancelled
    /// Taken back.
    case refunded
  }

  /// Its id, which is the SDK transaction's.
  public let id: UUID
  /// Who bought it.
  public let account: String
  /// What was bought.
  public let productIdentifier: String
  /// How many of it, in one payment.
  public let quantity: Int
  /// Where it stands.
  public let state: State
  /// What was charged for all of them, or would be.
  public let price: Money
  /// Whether the app has finished it.
  public let isFinished: Bool
  /// Why it exists, as a signed history says it: a purchase, a renewal, or a change of plan.
  public let reason: TransactionReason
  /// Whether the store renewed a subscription by it.
  public var isRenewal: Bool { reason == .renewal }
  /// The purchase that the account had already, for which this one stands; nothing was charged again.
  public let duplicateOf: UUID?
  /// When the subscription period that it paid for ends.
  public let expirationDate: Date?
  /// What went back of the price, because a higher plan has taken its place; nil for nothing.
  public let givenBack: Money?

  init(_ order: LocalOrder, account: String) {
    let message = order.message
    id = message.id.uuid
    self.account = account
    productIdentifier = message.product.id
    quantity = message.quantity
    price = message.price.money
    isFinished = message.finished
    reason = message.reason
    duplicateOf = message.duplicateOf?.uuid
    expirationDate = message.expiresAt
    givenBack = order.givenBack
    state =
      switch message.state {
      case .open: .open
      case .processing: .waiting
      case .cancelled: .cancelled
      case .paid: message.revokedAt == nil ? .purchased : .refunded
      }
  }
}
