import Foundation
import OnsideCommerce

/// A product of a store that is built in code.
public struct TestProduct: Sendable, Hashable {
  /// How long one period of a subscription lasts.
  public enum Length: Sendable, Hashable {
    /// Days.
    case days(Int)
    /// Weeks.
    case weeks(Int)
    /// Months.
    case months(Int)
    /// Years.
    case years(Int)
  }

  private let id: String
  private let kind: ProductKind
  private let price: String
  private var terms: Terms?

  private struct Terms: Sendable, Hashable {
    let length: Length
    let group: String
    let level: Int
    let trial: Length?
    let graceDays: Int?
  }

  /// Used up, can be bought again: coins. The price is in the currency of the storefront, such as "0.99".
  public static func consumable(_ id: String, price: String = "0.99") -> TestProduct {
    TestProduct(id: id, kind: .consumable, price: price)
  }

  /// Bought once, kept for ever.
  public static func nonConsumable(_ id: String, price: String = "4.99") -> TestProduct {
    TestProduct(id: id, kind: .nonConsumable, price: price)
  }

  /// Lasts a while and ends by itself.
  public static func nonRenewing(_ id: String, price: String = "9.99") -> TestProduct {
    TestProduct(id: id, kind: .nonRenewingSubscription, price: price)
  }

  /// Renews until it is cancelled.
  /// - Parameters:
  ///   - id: the identifier.
  ///   - length: how long one period lasts.
  ///   - price: what each period costs.
  ///   - group: an account has one subscription of a group at a time.
  ///   - level: the rank within the group; 1 is the highest.
  ///   - trial: how long it is free for accounts that are new in the group.
  ///   - graceDays: for how many days after a failed renewal it still gives what it sells: 0, 3, 6, 16 or 28; the
  ///     session decides unless given.
  public static func subscription(
    _ id: String, every length: Length = .months(1), price: String = "3.99", group: String = "group", level: Int = 1,
    freeTrial trial: Length? = nil, graceDays: Int? = nil
  ) -> TestProduct {
    TestProduct(
      id: id, kind: .autoRenewableSubscription, price: price,
      terms: Terms(length: length, group: group, level: level, trial: trial, graceDays: graceDays))
  }

  /// The product as the store has it.
  ///
  /// A price or length that makes no sense is a mistake in the test's code and stops it.
  func product(in country: CountryCode) -> Product {
    guard let amount = Decimal(string: price),
      let money = try? Money(exactly: amount, currency: country.currency)
    else { preconditionFailure("expected a price such as 0.99 in \(country.currency), got \"\(price)\" for \(id)") }
    return Product(
      id: id, kind: kind, referenceName: id, prices: [country: money], subscription: terms.map(subscription))
  }

  private func subscription(_ terms: Terms) -> Subscription {
    let offers = terms.trial.map {
      [Offer(id: "\(id).trial", kind: .introductory, mode: .freeTrial, period: $0.period)]
    }
    return Subscription(
      groupID: terms.group, groupName: terms.group, level: terms.level, period: terms.length.period,
      offers: offers ?? [], graceDays: terms.graceDays)
  }
}

extension TestProduct.Length {
  fileprivate var period: Period {
    let period =
      switch self {
      case .days(let count): Period(unit: .day, count: count)
      case .weeks(let count): Period(unit: .week, count: count)
      case .months(let count): Period(unit: .month, count: count)
      case .years(let count): Period(unit: .year, count: count)
      }
    guard let period else { preconditionFailure("expected a length from 1 to 9999, got \(self)") }
    return period
  }
}
