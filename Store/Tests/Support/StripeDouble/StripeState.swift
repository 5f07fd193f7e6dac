import Foundation
import StoreTestSupport

/// All that the double knows: a value without a clock and without a network. Its requests and what tests do with it are
/// extensions in `Actions/`.
struct StripeState: Sendable {
  /// The version that is answered when a request names none.
  static let version = "2026-10-28.endive"

  let isLive: Bool
  let accountID: String
  let secretKey: String
  let publishableKey: String
  /// The collections that each restricted key may not touch, such as `payouts`.
  var restrictedKeys: [String: Set<String>] = [:]
  /// The present moment, as the double was told with the last request.
  var now: Date
  private var random: SplitMix64

  var customers = Shelf<Customer>()
  var methods = Shelf<PaymentMethod>()
  var setups = Shelf<SetupIntent>()
  var payments = Shelf<PaymentIntent>()
  var charges = Shelf<Charge>()
  var refunds = Shelf<Refund>()
  var disputes = Shelf<Dispute>()
  var warnings = Shelf<EarlyFraudWarning>()
  var transactions = Shelf<BalanceTransaction>()
  var payouts = Shelf<Payout>()
  var events = Shelf<Event>()
  var endpoints = Shelf<WebhookEndpoint>()

  var deliveries: [Delivery] = []
  var policy = DeliveryPolicy()
  private var lastDelivery = 0
  /// Events that were delivered nowhere, because every try failed.
  var abandoned: Set<String> = []

  var keptAnswers: [String: KeptAnswer] = [:]
  var rate: RateLimit?
  /// The request that is being executed.
  var request: (id: String, key: String?)?

  init(now: Date, seed: UInt64, isLive: Bool) {
    self.now = now
    self.isLive = isLive
    random = SplitMix64(seed: seed)
    let mode = isLive ? "live" : "test"
    accountID = Self.id("acct", &random, count: 16)
    secretKey = Self.id("sk_\(mode)", &random)
    publishableKey = Self.id("pk_\(mode)", &random)
  }

  /// A new id.
  mutating func id(_ prefix: String) -> String { Self.id(prefix, &random) }

  /// A random number below a bound.
  mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  mutating func shuffle<Element>(_ elements: inout [Element]) { elements.shuffle(using: &random) }

  /// Writes down that something happened, and sends it to the addresses that want it.
  mutating func tell(_ type: String, of object: JSON, previous: JSON? = nil) {
    let event = Event(
      id: id("evt"), type: type, created: now, object: object, previous: previous, requestID: request?.id,
      idempotencyKey: request?.key)
    events[event.id] = event
    for endpoint in endpoints.all where endpoint.wants(type) { send(event.id, to: endpoint.id) }
  }

  /// Adds a delivery, as often as the policy wants it.
  mutating func send(_ event: String, to endpoint: String) {
    for copy in 0..<max(1, policy.copies) {
      lastDelivery += 1
      deliveries.append(
        Delivery(
          id: lastDelivery, event: event, endpoint: endpoint, due: now + policy.delay, isCopy: copy > 0))
    }
  }

  /// An event as it is sent and listed.
  func json(_ event: Event) -> JSON {
    let pending = deliveries.count { $0.event == event.id && !$0.isCopy }
    return event.json(pending: pending, isLive: isLive, version: Self.version)
  }

  private static func id(_ prefix: String, _ random: inout SplitMix64, count: Int = 24) -> String {
    let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    let text = (0..<count).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
    return "\(prefix)_\(String(text))"
  }
}

/// How webhook calls go out.
public struct DeliveryPolicy: Sendable {
  /// The order of those that are due together.
  public enum Order: Sendable { case asHappened, reversed, shuffled }

  /// The order of those that are due together.
  public var order = Order.asHappened
  /// How many seconds after its cause a call goes out.
  public var delay = 0.0
  /// How often each event is sent, even when the first is accepted.
  public var copies = 1

  /// In order, at once, once.
  public init() {}
}
