import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// A store in which each account has a subscription of another kind. Its clock goes from 10 January 2026 to 15 March,
/// 12:00.
enum FixtureShop {
  static let start = moment("01-10T00:00")
  static let end = moment("03-15T12:00")
  static let offer = "spring"
  /// The apps that sell the same plans.
  static let apps = [
    TestShop.app, App(id: "io.example.other", name: "Other", redirectURIs: ["io.example.other://onside"]),
  ]

  /// A moment of 2026, such as `02-20T12:30`.
  static func moment(_ text: String) -> Date { RFC3339.date("2026-\(text):00Z") ?? .distantPast }

  /// The store's configuration: subscribers are told by mail.
  static func configure(_ configuration: inout StoreConfiguration) {
    configuration.mail.sender = .console
    configuration.seller.name = "Onside Example B.V."
  }

  /// What is sold at a moment: five plans get another price on the way.
  static func catalogue(at now: Date) throws -> Catalogue {
    let (nl, de) = (try TestShop.country("NL"), try TestShop.country("DE"))
    let raised: [(plan: String, price: Int64, from: Date)] = [
      ("deferred", 1099, moment("02-20T00:00")), ("told", 1099, moment("03-05T00:00")),
      ("asked", 1599, moment("03-05T00:00")), ("accepted", 1599, moment("03-05T00:00")),
      ("declined", 1599, moment("03-05T00:00")),
    ]
    func offer(_ id: String, _ kind: OfferKind, _ mode: PaymentMode, _ period: Period, price: Int64?) -> Offer {
      Offer(
        id: id, kind: kind, mode: mode, period: period, periodCount: price == nil ? 1 : 3,
        prices: price.map { [nl: Money(minorUnits: $0, currency: .eur)] } ?? [:])
    }
    func plan(_ id: String, level: Int = 2, price: Int64 = 999, offers: [Offer] = []) -> Product {
      let price = raised.first { $0.plan == id && $0.from <= now }?.price ?? price
      return Product(
        id: id, kind: .autoRenewableSubscription, referenceName: id,
        prices: [
          nl: Money(minorUnits: price, currency: .eur), de: Money(minorUnits: price + 50, currency: .eur),
        ],
        subscription: Subscription(
          groupID: "plans", groupName: "Plans", level: level, period: .oneMonth, offers: offers))
    }
    return try Catalogue(
      products: [
        plan("small", level: 3, price: 499, offers: [offer("trial", .introductory, .freeTrial, .oneWeek, price: nil)]),
        plan("basic", offers: [offer(Self.offer, .code, .payUpFront, .oneMonth, price: 299)]),
        plan("steps", offers: [offer("intro", .introductory, .payAsYouGo, .oneMonth, price: 299)]),
      ] + raised.map { plan($0.plan) })
  }

  /// Opens the shop on an empty database of SQLite, and lets all its accounts do what their kinds say.
  static func fill(_ database: any Database, in folder: TemporaryFolder) async throws {
    let store = try await TestStore(
      in: folder, clock: ManualClock(start), sender: Inbox(), database: database, configure: configure)
    for app in apps {
      try await store.core.apps.register(app)
      try await store.core.catalogue.replace(try catalogue(at: start), of: app.id)
    }
    try await store.test { client in
      var acts: [(date: Date, buyer: FixtureBuyer, act: FixtureKind.Act)] = []
      for kind in FixtureKind.all {
        let buyer = try await FixtureBuyer(kind, store: store, client: client)
        acts += kind.acts.map { (moment($0.0), buyer, $0.1) }
      }
      for (date, buyer, act) in acts.sorted(by: { $0.date < $1.date }) {
        try await store.pass(to: date)
        try await act(buyer)
        try await store.core.deliverOutbox()
      }
      try await store.pass(to: end)
    }
  }
}

/// An account of a kind, which calls the store as its buyer does.
struct FixtureBuyer {
  let name: String
  let shopper: Shopper
  var app = TestShop.app.id

  private var store: TestStore { shopper.store }
  private var core: StoreCore { store.core }
  var key: SubscriptionKey { SubscriptionKey(account: shopper.accountID, app: app, group: "plans") }

  /// A new account; it has an address, unless its kind cannot be reached.
  init(_ kind: FixtureKind, store: TestStore, client: any TestClientProtocol) async throws {
    name = kind.name
    let account = try await store.account()
    shopper = Shopper(store: store, client: client, accountID: account, country: "NL")
    guard kind.hasAddress else { return }
    let (id, address) = (try #require(AccountID(account)), "\(kind.name)@example.org")
    try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
      let identity = Identity.contact(try #require(Contact(stored: address)))
      _ = try AccountRecords.addIdentity(
        ProvedIdentity(identity: identity, label: nil, provedAt: transaction.now), to: id, in: transaction)
    }
  }

  private init(name: String, shopper: Shopper, app: String) {
    (self.name, self.shopper, self.app) = (name, shopper, app)
  }

  /// The same account in the other app.
  var inOtherApp: FixtureBuyer {
    FixtureBuyer(name: "\(name)-other", shopper: shopper, app: FixtureShop.apps[1].id)
  }

  // MARK: Purchases and cards

  /// Buys a plan on a page that says that it renews. Its order bears the kind's name.
  func buy(_ plan: String = "basic", with card: SandboxCard = .succeeds, saving: Bool = true) async throws {
    try await pay(plan, with: .offered(card.rawValue, save: saving, keep: true))
  }

  func pay(_ plan: String, with choice: PaymentChoice) async throws {
    let order = try await order(plan)
    let token = try #require(order.paymentURL?.lastPathComponent)
    let outcome = try await core.payments.pay(token, with: choice, shownPrice: order.price.money)
    #expect(outcome == .paid, "\(name)")
  }

  /// Orders a plan as the app does.
  private func order(_ plan: String) async throws -> OrderMessage {
    let token = core.accessToken.issue(
      accountID: shopper.accountID, appID: app, sessionID: "session", now: store.clock.now())
    let request = OrderRequest(
      productID: plan, country: try TestShop.country(shopper.country), quantity: 1, appAccountToken: name)
    let headers: HTTPFields = [
      .authorization: "Bearer \(token)", .contentType: "application/json", .idempotencyKey: store.freshID().lowercase,
    ]
    let body = ByteBuffer(bytes: Array(try WireCoding.encoder().encode(request)))
    return try await shopper.client.execute(uri: "/v1/orders", method: .post, headers: headers, body: body) { answer in
      #expect(answer.status == .created, "\(name)")
      return try answer.message(OrderMessage.self)
    }
  }

  /// Saves a card, which is the first one then.
  @discardableResult
  func save(_ card: SandboxCard) async throws -> String {
    store.advance(by: .seconds(1))
    try await store.save(card, of: shopper.accountID)
    return try #require(try await core.payments.methods(of: shopper.accountID).first).id
  }

  /// Removes the card that is charged first.
  func removeCard() async throws {
    let first = try #require(try await core.payments.methods(of: shopper.accountID).first)
    #expect(try await core.payments.remove(first.id, of: shopper.accountID))
  }

  /// Lets the bank refuse the card that is kept for the subscription from now on: the sandbox does not know it.
  func loseKeptCard() async throws {
    try await core.dependencies.database.write { [key] in
      try $0.execute(
        """
        UPDATE payment_methods SET reference = 'lost', last_four = '0341' WHERE account_id = $1 AND is_saved = 0
        """, [.text(key.account)])
    }
  }

  /// Redeems a code of the offer for the present plan, and accepts it. Releases before SUB-24 were paid at once.
  func redeemCode() async throws {
    let code = try await core.offerCodes.create(
      1, product: "basic", offer: FixtureShop.offer, of: app, expiresAt: nil
    ).codes[0]
    let order = try await shopper.redeemed(code)
    let token = try #require(order.paymentURL?.lastPathComponent)
    let outcome = try await core.payments.renewPlan(token, shownPrice: order.price.money)
    #expect(outcome == .renewed, "\(name)")
  }

  // MARK: The subscription's page

  func switchOff() async throws { #expect(try await core.subscriptions.setAutoRenew(false, of: key), "\(name)") }

  func choose(_ plan: String, at price: Int64) async throws {
    let choice = try await core.subscriptions.choosePlan(
      plan, shownPrice: Money(minorUnits: price, currency: .eur), language: "en", of: key)
    #expect(choice == .planned, "\(name)")
  }

  func pause(months: Int) async throws {
    #expect(try await core.subscriptions.pause(months: months, of: key), "\(name)")
  }

  func answer(accepts: Bool) async throws {
    let price = Money(minorUnits: 1599, currency: .eur)
    #expect(try await core.subscriptions.answerPrice(accepts: accepts, shownPrice: price, of: key), "\(name)")
  }

  func move() async throws { try await store.move(shopper.accountID, to: "DE") }

  // MARK: The operator and the bank

  /// Gives the plan of the kind's name its new price.
  func reprice() async throws {
    try await core.catalogue.replace(try FixtureShop.catalogue(at: store.clock.now()), of: app)
    let report = try await core.subscriptions.reprice(name, of: app)
    #expect(report.counts.count == 1, "\(name)")
  }

  func refund() async throws { try await core.orders.refund(try await purchase().uuid, because: .refund) }

  /// A whole refund that fails in the end.
  func refundInVain() async throws {
    let id = try await purchase()
    let payment = try #require(try await store.payments(of: id).first)
    let refund = try #require(try await core.refunds.refund(id.uuid, because: .refund))
    try await core.deliverOutbox()
    let status = try await store.event(
      "refund_failed", payment: payment, order: id, further: #","refund_id":"\#(refund.id)""#, with: shopper.client)
    #expect(status == .noContent, "\(name)")
  }

  func dispute() async throws {
    let id = try await purchase()
    let payment = try #require(try await store.payments(of: id).first)
    let status = try await store.event("dispute_opened", payment: payment, order: id, with: shopper.client)
    #expect(status == .noContent, "\(name)")
  }

  private func purchase() async throws -> OrderID {
    let known = try await core.dependencies.database.read { [key] in try SubscriptionRecords.subscription(key, in: $0) }
    return OrderID(try #require(known).firstOrder)
  }
}

extension TestStore {
  /// Lets time pass for all subscriptions, with everything that is due on the way in its order.
  func pass(to moment: Date) async throws {
    var steps = 0
    while let next = try await nextDue(), next <= moment {
      steps = next > clock.now() ? 0 : steps + 1
      try #require(steps < 10, "the store has done all it can")
      try await step(to: max(next, clock.now()))
    }
    if moment > clock.now() { try await step(to: moment) }
  }

  private func step(to moment: Date) async throws {
    advance(by: .seconds(moment.timeIntervalSince(clock.now())))
    try await core.subscriptions.passTime()
    try await core.deliverOutbox()
  }

  /// When a subscription has something to do next.
  private func nextDue() async throws -> Date? {
    try await core.dependencies.database.read { connection in
      try connection.row(
        """
        SELECT min(due) AS due FROM (SELECT min(wakes_at) AS due FROM subscriptions
          UNION ALL SELECT min(notice_due_at) FROM subscriptions) AS all_due
        """
      )?.optionalDate("due")
    }
  }
}
