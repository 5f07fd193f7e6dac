import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// What an account is told about one of its subscriptions, and the charge or end that it is about.
struct SubscriptionNotice: Sendable, Hashable {
  /// The kinds of message. Their names are stored.
  enum Kind: String, Sendable, CaseIterable {
    /// The next period was not paid.
    case unpaid
    /// A trial or the price of an offer ends, and another price is charged from then on.
    case offerEnds = "offer_ends"
    /// A long period is renewed.
    case renewal
    /// The price is another one from the next renewal on.
    case price
    /// The same, if the account agrees.
    case question = "price_question"
    /// The account has not answered yet, and the period ends soon.
    case reminder = "price_reminder"
  }

  let kind: Kind
  /// The moment that it is about: the next charge, or the end of the period that was paid.
  let date: Date
  /// From when on it is due.
  var due: Date = .distantPast
}

/// Of what an account was told already: of each kind the last one. The same moment, product and price is told once.
struct ToldNotices: Sendable, Hashable, Codable {
  /// ``SubscriptionNotice/identity(product:price:)`` by the names of kinds.
  private var identities: [String: String] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    identities = try decoder.singleValueContainer().decode([String: String].self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identities)
  }

  func contains(_ notice: SubscriptionNotice, of machine: SubscriptionMachine) -> Bool {
    identities[notice.kind.rawValue] == notice.identity(in: machine)
  }

  mutating func insert(_ notice: SubscriptionNotice, of machine: SubscriptionMachine) {
    identities[notice.kind.rawValue] = notice.identity(in: machine)
  }

  /// Takes back that a message was told, which was not sent.
  mutating func remove(_ message: SubscriberMessage) {
    let (notice, kind) = (message.notice, message.notice.kind.rawValue)
    let identity = notice.identity(product: message.product, price: message.price)
    if identities[kind] == identity { identities[kind] = nil }
  }
}

extension SubscriptionNotice {
  /// Whether it announces a charge.
  var isOfCharge: Bool { kind == .offerEnds || kind == .renewal }

  /// What makes it another one: who was told of one price is told of another one.
  func identity(product: String?, price: Money?) -> String {
    let moment = String(date.millisecondsSince1970)
    guard kind != .unpaid, let product, let price else { return moment }
    return "\(moment) \(product) \(price.plainText)"
  }

  fileprivate func identity(in machine: SubscriptionMachine) -> String {
    identity(
      product: (machine.nextPlan ?? machine.period?.plan)?.productID,
      price: kind == .reminder ? machine.pendingPrice : machine.nextPrice)
  }
}

extension SubscriptionMachine {
  private static let day: TimeInterval = 86_400
  /// What lasts half a year and longer is announced; 180 days are less than any six months.
  private static let longPeriod = 180 * day

  /// The messages ahead of the next charge. One that becomes due only after its moment has passed is due at once.
  var noticesAhead: [SubscriptionNotice] {
    guard autoRenews, !isBeingRenewed, isSubscribed, let period, let start = nextPeriodStart, let price = nextPrice
    else { return [] }
    if awaitsConsent { return [.init(kind: .reminder, date: start, due: start - 7 * Self.day)] }
    guard !price.isZero else { return [] }
    var notices: [SubscriptionNotice] = []
    let length = period.end.timeIntervalSince(period.start)
    if period.offer != nil, price != period.price {
      let due = max(period.start, start - Self.lead(ofOffer: length))
      // The price of an accepted offer is not the regular one.
      notices.append(.init(kind: nextOffer == nil ? .offerEnds : .renewal, date: start, due: due))
    }
    if length >= Self.longPeriod {
      notices.append(.init(kind: .renewal, date: start, due: max(period.start, start - 30 * Self.day)))
    }
    return notices
  }

  /// How long before the end of an offer its account is told: 7 days, as Visa's rules ask; of what lasts no longer than
  /// a week, 3; of what is shorter still, its whole length.
  private static func lead(ofOffer length: TimeInterval) -> TimeInterval {
    if length > 7 * day { return 7 * day }
    return length > 3 * day ? 3 * day : length
  }
}

extension StoredSubscription {
  /// The messages ahead of the next charge that were not told yet, those first that are due first.
  var untoldNotices: [SubscriptionNotice] {
    machine.noticesAhead.filter { !told.contains($0, of: machine) }.sorted { $0.due < $1.due }
  }

  /// When something is due next: a message, or what the machine waits for.
  var nextDue: Date? { [machine.wakesAt, untoldNotices.first?.due].compactMap(\.self).min() }
}
