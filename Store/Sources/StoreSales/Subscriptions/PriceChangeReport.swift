public import OnsideCommerce

/// The effect of a new price on present subscribers, counted by region and prices.
public struct PriceChangeReport: Sendable {
  /// The effect on a subscription.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// A lower price from the next renewal on.
    case lower
    /// A higher price from the next renewal on, without consent.
    case higher
    /// A question to the account. Without consent the subscription ends, or keeps its price.
    case asked
    /// The present price, or the one that is announced already.
    case unchanged
    /// The old price for the next period, and the new one for a later period: the next one is unpaid, begins within a
    /// day, too soon for the notice or before the first day of the price, or follows an offer, or the price is higher
    /// and the method not the account's own.
    case later
    /// Another plan was chosen for the next renewal, at a price of its own. The price applies if the choice is
    /// withdrawn.
    case otherPlan = "other plan"
    /// The product is not sold in its region, or in another currency: the old price stays.
    case notSold = "not sold"
  }

  /// Some subscriptions with one outcome.
  public struct Group: Sendable, Hashable {
    /// The region of the prices.
    public let country: CountryCode
    /// The price of the next renewal without the change.
    public let old: Money
    /// The catalogue's price; nil where the product is not sold.
    public let new: Money?
    /// The effect on them.
    public let outcome: Outcome
  }

  /// The number of subscriptions of each group.
  public internal(set) var counts: [Group: Int] = [:]
}

extension PriceChangeReport.Outcome {
  /// A Boolean value that indicates whether the next renewal has the price, or its account is asked.
  var isAnnounced: Bool { self == .lower || self == .higher || self == .asked }
}
