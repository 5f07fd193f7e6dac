import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import StripeDouble
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe
@testable import StoreWeb

/// A store that is paid through the double of Stripe, dies at writes, and is started again from its database. Stripe,
/// the buyer and the operator outlive it, and repeat what got no answer.
final class PaidStore: Sendable {
  let stripe: StripeServerDouble
  let clock: ManualClock
  let customer: Customer
  let processes: StoreProcesses
  private let settings: StripeSettings
  /// Sends the store's mail; nil for a store without a mail server.
  let sender: (any MessageSender)?
  private let sweptAt: Mutex<Date>

  static func run(
    seed: UInt64 = 1, processes count: Int = 1,
    mail: @escaping @Sendable (StripeServerDouble, ManualClock) -> (any MessageSender)? = { _, _ in nil },
    _ body: @escaping @Sendable (PaidStore) async throws -> Void
  ) async throws {
    let clock = ManualClock()
    try await StripeServerDouble.run(seed: seed, now: { clock.now() }) { stripe in
      let webhook = stripe.addWebhook("https://store.example/providers/stripe/events")
      let settings = try StripeSettings(StripeStore.configuration(stripe, secret: webhook.secret), in: .sandbox)
      let (folder, sender) = (try TemporaryFolder(), mail(stripe, clock))
      let processes = try await StoreProcesses(count) { number in
        try await start(in: folder, clock: clock, settings: settings, sender: sender, number: number)
      }
      try await processes.serving.store.openShop()
      for process in processes.all.dropFirst() { try await process.store.core.reload() }
      let account = try await processes.serving.store.account()
      let world = PaidStore(
        stripe: stripe, clock: clock, customer: Customer(account: account, app: TestShop.app.id), settings: settings,
        sender: sender, processes: processes)
      try await world.sweep(processes.serving)
      stripe.sendFirst { await world.take($0) }
      try await body(world)
      await processes.close()
    }
  }

  private init(
    stripe: StripeServerDouble, clock: ManualClock, customer: Customer, settings: StripeSettings,
    sender: (any MessageSender)?, processes: StoreProcesses
  ) {
    (self.stripe, self.clock, self.customer) = (stripe, clock, customer)
    (self.settings, self.sender, self.processes) = (settings, sender, processes)
    sweptAt = Mutex(clock.now())
  }

  private static func start(
    in folder: TemporaryFolder, clock: ManualClock, settings: StripeSettings, sender: (any MessageSender)?, number: Int
  ) async throws -> StoreProcesses.Process {
    let database = MortalDatabase(try await TestDatabase.open(in: folder, now: clock.now()))
    let store = try await TestStore(
      in: folder, clock: clock, seed: UInt64(number), sender: sender, database: database,
      providers: [{ StripePaymentProvider(settings, $0) }, { SandboxPaymentProvider($0) }]
    ) {
      guard sender != nil else { return }
      $0.mail.sender = .console
      $0.seller.name = "Onside Example B.V."
    }
    return StoreProcesses.Process(store: store, database: database)
  }

  var store: TestStore { processes.serving.store }
  var core: StoreCore { store.core }
  var database: MortalDatabase { processes.serving.database }

  /// How often the store was started, the first time included.
  var startCount: Int { processes.startCount }

  /// Starts the store again, if it has died; where another process lives, that one takes its place.
  func replaceIfDead() async throws { try await processes.replace() }

  /// Moves the clock of all processes.
  func advance(by duration: Duration) {
    clock.advance(by: duration)
    for process in processes.all { process.store.core.deadlines.fire() }
  }

  /// Does a step that may be repeated, until the store has lived through it.
  func surely(_ step: () async throws -> Void) async throws {
    for _ in 0..<20 {
      do {
        try await step()
        if !database.isDead { return }
      } catch  where database.isDead {}
      try await replaceIfDead()
    }
    Issue.record("Expected the store to live through a step in the end.")
  }

  // MARK: The world

  /// Stripe makes the calls that are due, and the store does what is due.
  ///
  /// - Parameter isTogether: whether all processes do it, at the same time.
  func tell(isTogether: Bool = false) async throws {
    await stripe.deliver { await take($0) }
    try await work(isTogether: isTogether)
  }

  /// What the running store does by itself. It ends with the process.
  func work(isTogether: Bool = false) async throws {
    let workers = isTogether ? processes.all : [processes.serving]
    try await withThrowingTaskGroup { tasks in
      for worker in workers { tasks.addTask { try await self.work(worker) } }
      try await tasks.waitForAll()
    }
    try await replaceIfDead()
    // A store tries every ten minutes, and when it is started again. This clock leaps by days, and Stripe's list
    // reaches back 30: without more tries here a death or an event would leave the list unread.
    for _ in 0..<50 where isLate {
      do { try await sweep(processes.serving) } catch is StripeError {} catch  where database.isDead {}
      try await replaceIfDead()
    }
  }

  /// Whether Stripe's list of events was not read for days.
  private var isLate: Bool { clock.now().timeIntervalSince(sweptAt.withLock { $0 }) > 5 * 86_400 }

  /// The same by a process that does not serve, where one lives.
  func tellIdleProcess() async throws {
    guard let idle = processes.idle else { return }
    await stripe.deliver { await take($0) }
    try await work(idle)
  }

  private func work(_ process: StoreProcesses.Process) async throws {
    let core = process.store.core
    do {
      try await core.orders.expireOpenOrders()
      try await core.subscriptions.passTime()
      try await core.deliverOutbox()
      try await sweep(process)
    } catch  where process.database.isDead {
    } catch is StripeError {
      // The list of events is read again later.
    }
  }

  /// Looks into Stripe's list of events, if it is time.
  private func sweep(_ process: StoreProcesses.Process) async throws {
    let core = process.store.core
    try await ProviderEventSweep(
      events: core.providerEvents, providers: core.providers, dependencies: core.dependencies.base
    ).sweepIfDue(core.providers.active)
    sweptAt.withLock { $0 = clock.now() }
  }

  func later(_ seconds: Int) async throws {
    advance(by: .seconds(seconds))
    try await work()
  }

  @Sendable private func take(_ call: WebhookCall) async -> Int? {
    var headers: HTTPFields = [.contentType: "application/json"]
    headers[.stripeSignature] = call.signature
    let delivery = ProviderDelivery(body: call.body, headers: headers, receivedAt: clock.now())
    guard let process = processes.next else { return nil }
    let core = process.store.core
    do {
      try await core.providerEvents.receive(delivery, from: core.providers.active)
      return process.database.isDead ? nil : 204
    } catch {
      return process.database.isDead ? nil : 500
    }
  }

  // MARK: The buyer

  func order(_ id: UUID, of product: String = "coins") async throws {
    let request = OrderRequest(
      productID: product, country: try TestShop.country("NL"), quantity: 1, appAccountToken: nil)
    _ = try await core.orders.create(request, id: id, for: customer)
  }

  @discardableResult
  func pay(_ id: UUID, with choice: PaymentChoice, shownPrice: Int64 = 99) async throws -> PaymentOutcome {
    try await core.payments.pay(
      core.payments.tokens.token(orderID: id), with: choice, shownPrice: try TestShop.money(shownPrice))
  }

  /// The buyer enters a card in Stripe's fields, unless a saved one pays, agrees at the bank, and returns to the page.
  func enter(_ number: String, for id: UUID) async throws {
    try await enterCard(number, for: id)
    _ = try await core.payments.confirmSecondStep(core.payments.tokens.token(orderID: id))
  }

  /// The same, and closes the page.
  func enterCard(_ number: String, for id: UUID) async throws {
    let payments = stripe.payments.map { ("payment", $0.id, $0.status, $0.clientSecret, $0.metadata, $0.method) }
    let setups = stripe.setups.map { ("setup", $0.id, $0.status, $0.clientSecret, $0.metadata, $0.method) }
    let waiting = (payments + setups).last { $0.4.values.contains(id.lowercase) && $0.2.hasPrefix("requires") }
    guard let (kind, intent, _, secret, metadata, method) = waiting else { return }
    var form = StripeForm.card(number)
    if let method, metadata[StripeMetadata.isSaved] == StripeMetadata.yes {
      // The page of a saved card has no fields for another one.
      form = StripeForm()
      form.set("payment_method", to: method)
    }
    form.set("client_secret", to: secret)
    let key = StripeIdempotencyKey("page:\(intent):\(stripe.requests.count)")
    // The page shows what Stripe refuses, and the buyer tries again.
    let confirmed: StripeSetupIntent? = try? await StripeClient(
      key: settings.publishableKey, address: stripe.address
    )
    .post("/v1/\(kind)_intents/\(intent)/confirm", form: form, key: key)
    if confirmed?.status == .requiresAction { try stripe.authenticate(intent) }
  }

  /// Enters a card on the page of saved methods, and agrees at the bank.
  func enterCard(_ number: String, forSetup setup: String) async throws {
    var form = StripeForm.card(number)
    let secret = try await StripeClient(key: settings.key, address: stripe.address).setupIntent(setup).clientSecret
    form.set("client_secret", to: secret)
    let key = StripeIdempotencyKey("page:\(setup):\(stripe.requests.count)")
    let confirmed: StripeSetupIntent? = try? await StripeClient(
      key: settings.publishableKey, address: stripe.address
    )
    .post("/v1/setup_intents/\(setup)/confirm", form: form, key: key)
    if confirmed?.status == .requiresAction { try stripe.authenticate(setup) }
  }

  /// The buyer looks at the payment page, and does what it asks for.
  func visit(_ id: UUID, card: String, usesSaved: Bool = true) async throws {
    guard try await stage(id) == .open else { return }
    if try await core.payments.waitingCharge(core.payments.tokens.token(orderID: id)) != nil {
      try await enter(card, for: id)
    } else {
      let saved = usesSaved ? try await savedMethod() : nil
      try await pay(id, with: saved ?? .offered("card", save: true))
    }
  }

  /// A buyer who does not give up: orders, pays with the remembered card or with a new one that is remembered, and
  /// comes back to the page until the order is paid.
  func buy(_ id: UUID, with card: String = "4242424242424242") async throws {
    for _ in 0..<12 {
      try await surely { try await self.order(id) }
      try await surely { try await self.visit(id, card: card) }
      if try await stage(id) == .paid { return }
      // A process that died held what it was about to do for some seconds.
      try await later(20)
    }
    Issue.record("Expected the order to be paid in the end, it is \(try await stage(id)).")
  }

  func savedMethod() async throws -> PaymentChoice? {
    try await core.payments.methods(of: customer.account).first.map { .saved($0.id) }
  }

  // MARK: The operator

  /// Gives a part back, unless an earlier try of the same command did.
  func refund(_ id: UUID, minorUnits: Int64) async throws {
    let amount = try TestShop.money(minorUnits)
    let known = try await core.refunds.refunds(of: id)
    guard !known.contains(where: { $0.amount == amount && $0.origin == .operator }) else { return }
    try await core.refunds.refund(id, amount: amount, because: .refund)
  }

  // MARK: The books

  /// Those of the orders that the store has.
  func known(_ orders: [UUID]) async throws -> [UUID] {
    var known: [UUID] = []
    for id in orders {
      do {
        _ = try await stage(id)
        known.append(id)
      } catch let error as OrderError where error == .notFound {}
    }
    return known
  }

  func stage(_ id: UUID) async throws -> OrderState.Stage {
    try await core.orders.order(id, of: customer).state.stage
  }

  /// Lets time pass until nothing is under way: every call is repeated, and what was lost is found in Stripe's list.
  func settle() async throws {
    stripe.unlimit()
    stripe.forgetFaults()
    for _ in 0..<3 {
      for _ in 0..<12 {
        try await later(300)
        try await tell()
        if try await isIdle { break }
      }
      try await later(Int(ProviderEventSweep.period))
    }
    try await tell()
  }

  /// Whether no delivery of the store and no call of Stripe waits for its next try.
  private var isIdle: Bool {
    get async throws {
      let waiting = try await core.dependencies.database.read { try OutboxRecords().all(limit: 1, in: $0) }
      return waiting.isEmpty && stripe.pendingDeliveries == 0
    }
  }

  /// What is wrong when nothing is under way: between Stripe and the store, and in the store.
  func faults(_ orders: [UUID]) async throws -> [String] {
    var faults = try await faults()
    for id in orders { faults += try await self.faults(of: id) }
    return faults
  }

  /// The same, but for what single orders have cost.
  func faults() async throws -> [String] {
    var faults = try await store.bookFaults().map { "books: \($0)" }
    faults += try await core.paymentReconciler.differences(since: clock.now() - 30 * 86_400).map(\.description)
    let waiting = try await core.dependencies.database.read { try OutboxRecords().all(limit: 10, in: $0) }
    faults += waiting.map { "\($0.kind) \($0.payload) has failed \($0.attempts) times: \($0.error ?? "")" }
    let (booked, held) = (try await store.balances()["provider:stripe", default: 0], stripe.balance["eur", default: 0])
    if booked != held { faults.append("the store has \(booked) at Stripe, Stripe \(held)") }
    for payment in stripe.payments where payment.successfulCharges > 1 {
      faults.append("\(payment.id) was charged twice")
    }
    return faults
  }

  private func faults(of id: UUID) async throws -> [String] {
    let payments = stripe.payments.filter { $0.metadata.values.contains(id.lowercase) }
    let received = payments.reduce(0) { $0 + $1.amount * Int64($1.successfulCharges) - $1.refunded - $1.disputed }
    let sales = try await store.ledger(OrderID(id)).count { $0.kind == "sale" }
    let stage = try await stage(id)
    var faults: [String] = []
    if stage == .processing { faults.append("\(id) waits for ever") }
    if sales > 1 { faults.append("\(id) was sold \(sales) times") }
    if received > 99 { faults.append("\(id) has cost \(received)") }
    if stage == .paid, payments.allSatisfy({ $0.successfulCharges == 0 }) { faults.append("\(id) cost nothing") }
    if stage != .paid, received > 0 { faults.append("\(id) is \(stage) and cost \(received)") }
    if stage == .paid || stage == .cancelled {
      faults += payments.filter { $0.status.hasPrefix("requires") }
        .map { "\($0.id) can still be paid, and \(id) is \(stage)" }
    }
    return faults
  }
}
