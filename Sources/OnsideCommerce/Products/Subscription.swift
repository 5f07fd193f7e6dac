/// What makes a product an auto-renewing subscription.
public struct Subscription: Sendable, Hashable, Codable {
  /// The group: an account has at most one subscription of a group at a time.
  public var groupID: String
  /// The group's name, for the merchant.
  public var groupName: String
  /// The rank within the group: 1 is the highest service.
  public var level: Int
  /// How long one renewal lasts.
  public var period: Period
  /// The offers of every kind; of one kind the best first.
  public var offers: [Offer]
  /// For how many days after a renewal that failed it still gives what it sells; nil for the store's own rule.
  public var graceDays: Int?

  /// A subscription of a group.
  public init(
    groupID: String, groupName: String, level: Int = 1, period: Period, offers: [Offer] = [], graceDays: Int? = nil
  ) {
    self.groupID = groupID
    self.groupName = groupName
    self.level = level
    self.period = period
    self.offers = offers
    self.graceDays = graceDays
  }

  /// The lengths of a grace period that a product can have, in days.
  public static let graceLengths = [0, 3, 6, 16, 28]

  /// The first offer for accounts that never subscribed in the group.
  public var introductoryOffer: Offer? { offers.first { $0.kind == .introductory } }

  /// The first offer for present and past subscribers.
  public var promotionalOffer: Offer? { offers.first { $0.kind == .promotional } }
}

extension Subscription {
  /// Reads what makes a product a subscription. Without a level it has the highest, 1: plans without levels are equal.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      groupID: try values.decode(String.self, forKey: .groupID),
      groupName: try values.decode(String.self, forKey: .groupName),
      level: try values.decodeIfPresent(Int.self, forKey: .level) ?? 1,
      period: try values.decode(Period.self, forKey: .period),
      offers: try values.decode([Offer].self, forKey: .offers),
      graceDays: try values.decodeIfPresent(Int.self, forKey: .graceDays))
  }
}
