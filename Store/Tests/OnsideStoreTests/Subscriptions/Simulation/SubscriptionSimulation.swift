import Foundation
import OnsideCommerce
import StoreTestSupport
import StripeDouble

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// A year or two of a store that sells subscriptions: buyers who subscribe, change their minds, cards and plans, an
/// operator who raises prices, banks, a Stripe that fails, repeats and reorders, and a store of one process or two that
/// die or sleep. The seed decides what happens; what runs at the same time may end in another order in another run.
struct SubscriptionSimulation {
  static let cards = [
    "4242424242424242", "4242424242424242", "4000002760003184", "4000002500003155", "4000000000000341",
  ]
  private static let faultyCalls = [
    nil, "POST payment_intents", "POST refunds", "GET payment_intents/*", "POST setup_intents",
  ]

  let world: SubscribedStore
  var random: SplitMix64
  var plans: SimulatedPlans
  var promotions = SimulatedPromotions()
  var oracle: SubscriptionOracle
  /// The orders that buyers have made, with the number of the buyer.
  var orders: [(id: UUID, buyer: Int)] = []
  /// What happened, for a person.
  var story: [String] = []
  /// Whether Stripe's calls reach the store.
  private var isReached = true

  init(_ world: SubscribedStore, seed: UInt64, graceDays: Int?) {
    self.world = world
    random = SplitMix64(seed: seed)
    plans = SimulatedPlans(graceDays: graceDays)
    oracle = SubscriptionOracle(world)
  }

  /// Opens the shop, and makes the accounts.
  mutating func begin(accounts: Int) async throws {
    try await world.core.catalogue.replace(try plans.catalogue, of: TestShop.app.id)
    _ = try await world.core.offerCodes.createCustom(
      SimulatedPlans.code, limit: Int64(SimulatedPlans.codeLimit), product: "basic", offer: "card", of: TestShop.app.id,
      expiresAt: nil)
    let server = promotions.server
    _ = try await world.core.offerKeys.add(server.publicKey, id: server.kid, to: TestShop.app.id)
    for number in 1...accounts {
      let (customer, address) = try await world.account(number)
      oracle.accounts.append(SubscriberModel(customer: customer, address: address))
    }
    if random.chance(25) { changeMailServer() }
    tell("grace of \(plans.graceDays.map { "\($0) days" } ?? "the store's rule")")
  }

  /// Lives until something is wrong, or the steps are done.
  mutating func run(steps: Int) async throws {
    for _ in 0..<steps where oracle.faults.isEmpty {
      if random.chance(12) {
        let death = MortalDatabase.Death(write: random.pick(1...8), isAfterCommit: random.chance(50))
        let number = random.pick(0...world.paid.processes.all.count - 1)
        world.paid.processes.all[number].database.plan(death)
        tell("process \(number + 1) dies \(death)")
      }
      try await changeProcess()
      if random.chance(15) { planFault() }
      try await step()
      try await world.paid.replaceIfDead()
      try await oracle.look(plans)
    }
    for process in world.paid.processes.all { process.database.plan(nil) }
    try await world.paid.processes.revive()
    if oracle.faults.isEmpty { try await end() }
  }

  /// Lets time pass until nothing is under way, and looks at everything.
  mutating func end() async throws {
    tell("rests")
    // Failing deliveries are tried at once.
    try await world.paid.surely { [world] in
      try await world.core.dependencies.database.write(at: world.now) { _ = try OutboxRecords().retryFailing(in: $0) }
    }
    world.stripe.setPolicy(DeliveryPolicy())
    world.mailbox.behaviour = .takes
    try await world.paid.settle()
    try await oracle.look(plans)
    try await oracle.lookAtRest()
  }

  mutating func tell(_ event: String) { story.append("\(RFC3339.text(world.now)) \(event)") }

  private mutating func planFault() {
    let faults: [(String, StripeFault)] = [
      ("cut", .cutBefore), ("answer lost", .answerLost), ("500", .serverError(afterEffect: random.chance(50))),
      ("429", .rateLimited(retryAfter: random.pick(1...20))), ("webhooks first", .webhooksFirst),
    ]
    let (name, fault) = random.pick(faults)
    let (call, times) = (random.pick(Self.faultyCalls), random.pick([1, 1, 1, 5, 40]))
    world.stripe.next(fault, on: call, times: times)
    tell("\(name) on \(call ?? "any") \(times) times")
  }

  private mutating func step() async throws {
    // No two things happen at the same moment.
    world.paid.advance(by: .seconds(random.pick(1...90)))
    switch random.pick(0...99) {
    case ..<32: try await pass(Double(random.pick([1, 24, 72, 190, 480, 744, 1680])) * 3600)
    case ..<35: try await sleep()
    case ..<85: try await act()
    case ..<88: try await reprice()
    case ..<91: decline()
    case ..<94: try await moneyBack()
    case ..<96: dispute()
    case ..<98: changeTheWay()
    default: changeMailServer()
    }
  }

  /// A buyer does something, at times while another process does what is due.
  private mutating func act() async throws {
    let buyer = random.pick(0...oracle.accounts.count - 1)
    guard isReached, world.paid.processes.idle != nil, random.chance(40) else { return try await act(for: buyer) }
    async let work: Void = world.paid.tellIdleProcess()
    try await act(for: buyer)
    try await work
  }

  // MARK: Time

  /// Time passes, with everything that is due on the way.
  mutating func pass(_ seconds: Double) async throws {
    tell("\(seconds / 3600) hours pass")
    let end = world.now + seconds
    while world.now < end, oracle.faults.isEmpty {
      let due = try await dueSurely()
      let next = min(end, world.now + 10 * 86_400, max(due ?? end, world.now + 60))
      world.paid.advance(by: .seconds(next.timeIntervalSince(world.now)))
      try await changeProcess()
      try await work()
      try await oracle.look(plans)
    }
  }

  /// What is due is done by the process that serves, or by both at once.
  private mutating func work() async throws {
    let isTogether = world.paid.processes.all.count > 1 && random.chance(25)
    if isReached {
      try await world.paid.tell(isTogether: isTogether)
    } else {
      try await world.paid.work(isTogether: isTogether)
    }
  }

  /// Of two processes, another one may serve from now on, and one that has died may be started again.
  private mutating func changeProcess() async throws {
    let processes = world.paid.processes
    guard processes.all.count > 1 else { return }
    if random.chance(50) { try await processes.revive() }
    try await processes.serve(by: random.pick(0...processes.all.count - 1))
    try await world.paid.replaceIfDead()
  }

  private func dueSurely() async throws -> Date? {
    try await world.paid.replaceIfDead()
    return try await world.nextDue()
  }

  /// The store is down for a time: nothing is done meanwhile.
  private mutating func sleep() async throws {
    let days = random.pick([1, 2, 5, 12, 25])
    tell("the store sleeps for \(days) days")
    world.paid.advance(by: .seconds(days * 86_400))
    try await work()
  }

  private mutating func changeTheWay() {
    if random.chance(30) {
      for payout in world.stripe.payOut() {
        let isReturned = random.chance(30)
        if isReturned { try? world.stripe.failPayout(payout) }
        tell("Stripe pays out\(isReturned ? ", and the bank sends it back" : "")")
      }
      return
    }
    var policy = DeliveryPolicy()
    policy.order = random.pick([DeliveryPolicy.Order.asHappened, .reversed, .shuffled])
    policy.copies = random.pick(1...2)
    world.stripe.setPolicy(policy)
    isReached = random.chance(60)
    if random.chance(50) { world.stripe.loseDeliveries() }
    tell("webhooks \(policy.order), \(policy.copies) times, reach the store: \(isReached)")
  }

  private mutating func changeMailServer() {
    world.mailbox.behaviour = random.pick([.takes, .busy, .refuses, .silent])
    tell("the mail server \(world.mailbox.behaviour)")
  }

  // MARK: Operator and banks

  private mutating func reprice() async throws {
    let buyer = random.pick(oracle.accounts)
    let present = try await world.subscription(of: buyer.customer)?.machine.period?.plan.productID
    let plan = present ?? random.pick(SimulatedPlans.plans).id
    let old = plans.prices[plan] ?? 0
    let terms = RenewalPriceTerms(keepsPriceWithoutConsent: random.chance(30))
    try await reprice(plan, to: random.pick([old + 100, old + 50, old * 2 + 1, old * 9 / 10]), on: terms)
  }

  /// A plan gets another price, for present subscribers as well.
  mutating func reprice(_ plan: String, to price: Int64, on terms: RenewalPriceTerms = .init()) async throws {
    tell("\(plan) costs \(price) instead of \(plans.prices[plan] ?? 0)")
    plans.prices[plan] = price
    oracle.announced.append((world.now, plan, price))
    let catalogue = try plans.catalogue
    try await world.paid.surely { [world] in
      try await world.core.catalogue.replace(catalogue, of: TestShop.app.id)
      _ = try await world.core.subscriptions.reprice(plan, of: TestShop.app.id, on: terms)
    }
  }

  private mutating func decline() {
    guard !world.stripe.savedMethods.isEmpty else { return }
    let method = random.pick(world.stripe.savedMethods)
    let decline = random.pick([
      Decline("insufficient_funds"), Decline("generic_decline"), Decline("lost_card"),
      Decline(nil, code: "expired_card"), .authenticationRequired,
    ])
    let times = random.pick([1, 2, 7, 30])
    tell("\(method) is declined \(times) times: \(decline.declineCode ?? decline.code)")
    try? world.stripe.decline(method, with: Array(repeating: decline, count: times))
  }

  private mutating func moneyBack() async throws {
    if random.chance(25), let payment = somePayment() {
      let amount = random.chance(50) ? payment.amount - payment.refunded : 10
      if (try? world.stripe.refundByHand(payment.id, amount: amount)) != nil {
        tell("Stripe's dashboard refunds \(amount) of \(payment.id)")
      }
      return
    }
    guard let payment = somePayment(), let id = payment.metadata["order"].flatMap({ UUID(uuidString: $0) }) else {
      return
    }
    let part: Int64? = random.chance(50) ? nil : 50
    tell("the operator refunds \(part.map { "\($0)" } ?? "all") of \(id.lowercase)")
    try await world.paid.surely { [world] in
      do {
        if let part {
          try await world.paid.refund(id, minorUnits: part)
        } else {
          try await world.core.refunds.refund(id, because: .refund)
        }
      } catch is OrderTransitionError {
        // It is not paid.
      } catch is RefundError {
        // So much is not left.
      }
    }
  }

  private mutating func dispute() {
    if random.chance(50), !world.stripe.disputeIDs.isEmpty {
      let (dispute, end) = (random.pick(world.stripe.disputeIDs), random.pick(["won", "lost", "warning_closed"]))
      if (try? world.stripe.close(dispute, as: end)) != nil { tell("\(dispute) is \(end)") }
    } else if let payment = somePayment(), (try? world.stripe.dispute(payment.id)) != nil {
      tell("dispute of \(payment.id)")
    }
  }

  private mutating func somePayment() -> StripeServerDouble.PaymentRecord? {
    let paid = world.stripe.payments.filter { $0.successfulCharges > 0 && $0.refunded < $0.amount }.suffix(5)
    return paid.isEmpty ? nil : random.pick(Array(paid))
  }
}
