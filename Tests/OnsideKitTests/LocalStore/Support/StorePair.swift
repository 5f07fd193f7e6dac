import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideKit

/// The local store and the simulated store (`FakeRules`), which get the same events. Both use `OrderState`; ownership,
/// duplicates, refunds of duplicates and syncs are separate code in each.
struct StorePair {
  /// What a store tells of an account.
  struct Answers: Equatable {
    var failure: StoreError?
    var orders: [String]
    var owned: [String]
    var news: [String]
    var startsOver: Bool
  }

  private var shop: LocalShop
  private var rules = FakeRules()
  private var random: SeededRandom
  private let account: AccountID
  private var orders: [OrderID] = []
  private var cursors: (shop: String?, rules: String?) = (nil, nil)
  private var failures: (shop: StoreError?, rules: StoreError?) = (nil, nil)

  private static let now = FakeRules.date

  init(seed: UInt64) throws {
    let newID: @Sendable (Date) -> UUID = { .version7(at: $0, random: SeededBytes.ids.next(10)) }
    var shop = LocalShop(try LocalFile.configuration(), book: LocalBook(id: newID(Self.now)), newID: newID)
    account = shop.account(named: LocalStore.defaultAccount, at: Self.now)
    self.shop = shop
    random = SeededRandom(seed: seed)
    rules.move(account, to: .netherlands)
  }

  /// Lets something happen in both stores; returns what each of them tells then.
  mutating func step() throws -> (shop: Answers, rules: Answers) {
    failures = (nil, nil)
    if random.chance(25) || orders.isEmpty { try make() } else { try act(on: random.pick(orders)) }
    return try tell()
  }

  private mutating func make() throws {
    let id = OrderID(.version7(at: Self.now, random: SeededBytes.ids.next(10)))
    let (local, other) = random.pick([(LocalFile.coins, RuleProducts.coins), (LocalFile.adFree, RuleProducts.pro)])
    orders.append(id)
    let quantity = local == LocalFile.coins ? random.pick(1...3) : 1
    let requests = [local, other].map { OrderRequest(productID: $0, country: .netherlands, quantity: quantity) }
    _ = try shop.makeOrder(id, request: requests[0], by: account, at: Self.now)
    _ = try rules.make(id.uuid, request: requests[1], of: account)
    if random.chance(20) { repeatOrder(id, requests) }
  }

  /// The same id with another quantity is another request.
  private mutating func repeatOrder(_ id: OrderID, _ requests: [OrderRequest]) {
    let others = requests.map { request in
      var other = request
      other.quantity += 1
      return other
    }
    do throws(StoreError) { _ = try shop.makeOrder(id, request: others[0], by: account, at: Self.now) } catch {
      failures.shop = error
    }
    do throws(StoreError) { _ = try rules.make(id.uuid, request: others[1], of: account) } catch {
      failures.rules = error
    }
  }

  private mutating func act(on id: OrderID) throws {
    switch random.pick(0...5) {
    case 0: try pay(id)
    case 1:
      shop.setWaiting(id, for: .approval, at: Self.now)
      rules.hold(id.uuid)
    case 2:
      shop.cancelUnpaid(id, because: .user, at: Self.now)
      rules.decline(id.uuid)
      _ = try rules.cancel(id.uuid, of: account)
    case 3:
      _ = try shop.cancel(id, of: account, at: Self.now)
      _ = try rules.cancel(id.uuid, of: account)
    case 4: finish(id)
    default:
      _ = shop.refund(id, reason: .refund, at: Self.now)
      rules.refund(id.uuid)
    }
  }

  /// Pays an order. Leaves out a payment of a product that another order has bought meanwhile, because only the local
  /// store makes that one a duplicate.
  private mutating func pay(_ id: OrderID) throws {
    let product = try rules.order(id.uuid, of: account).product.id
    guard !rules.restorable(account).contains(where: { $0.product.id == product }) else { return }
    shop.pay(id, at: Self.now)
    rules.pay(id.uuid)
  }

  private mutating func finish(_ id: OrderID) {
    do throws(StoreError) { try shop.finish(id, of: account, on: account.uuid, at: Self.now) } catch {
      failures.shop = error
    }
    do throws(StoreError) { try rules.finish(id.uuid, of: account) } catch { failures.rules = error }
  }

  private mutating func tell() throws -> (shop: Answers, rules: Answers) {
    let local = try shop.sync(account, on: account.uuid, since: cursors.shop, at: Self.now)
    let other = rules.sync(since: cursors.rules, account)
    let answers = (
      Answers(
        failure: failures.shop, orders: try orders.map { words(for: try shop.order($0, of: account)) },
        owned: words(for: try shop.restorable(by: account, at: Self.now)), news: words(for: local.orders),
        startsOver: local.startsOver),
      Answers(
        failure: failures.rules, orders: try orders.map { words(for: try rules.order($0.uuid, of: account)) },
        owned: words(for: rules.restorable(account)), news: words(for: other.orders), startsOver: other.startsOver)
    )
    if random.chance(30) { cursors = random.chance(20) ? (nil, nil) : (local.cursor, other.cursor) }
    return answers
  }

  private func words(for orders: [OrderMessage]) -> [String] { orders.map { words(for: $0) } }

  private func words(for order: OrderMessage) -> String {
    let end = order.cancelReason.map { " \($0.rawValue)" } ?? ""
    let other = order.duplicateOf.map { ", duplicate of \($0)" } ?? ""
    let flags = (order.finished ? ", finished" : "") + (order.revokedAt == nil ? "" : ", revoked")
    return "\(order.id) × \(order.quantity): \(order.state.rawValue)\(end)\(flags)\(other)"
  }
}
