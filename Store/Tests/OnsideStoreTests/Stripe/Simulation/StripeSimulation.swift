import Foundation
import OnsideCommerce
import StoreTestSupport
import StripeDouble

@testable import OnsideStore
@testable import StoreSales

/// Some weeks of a store: a buyer who buys, pays and comes back, an operator who gives back, banks that object, a
/// Stripe that fails, repeats and reorders, and a store that dies. The seed decides what happens; what runs at the same
/// time in the store may end in another order in another run.
struct StripeSimulation {
  private static let cards = ["4242424242424242", "4000002760003184", "4000000000000341", "4000000000009995"]
  private static let faultyCalls = [nil, "POST payment_intents", "POST refunds", "GET payment_intents/*"]

  let world: PaidStore
  private var random: SplitMix64
  private(set) var orders: [UUID] = []
  /// What happened, for a person.
  private(set) var story: [String] = []

  init(_ world: PaidStore, seed: UInt64) {
    self.world = world
    random = SplitMix64(seed: seed)
  }

  mutating func run(steps: Int) async throws {
    for _ in 0..<steps {
      if random.chance(15) {
        let death = MortalDatabase.Death(write: random.pick(1...6), isAfterCommit: random.chance(50))
        world.database.plan(death)
        story.append("dies \(death)")
      }
      if random.chance(20) { planFault() }
      try await step()
      try await world.replaceIfDead()
    }
    world.database.plan(nil)
  }

  private mutating func planFault() {
    let faults: [(String, StripeFault)] = [
      ("cut", .cutBefore), ("answer lost", .answerLost), ("500", .serverError(afterEffect: random.chance(50))),
      ("429", .rateLimited(retryAfter: random.pick(1...20))), ("webhooks first", .webhooksFirst),
    ]
    let (name, fault) = random.pick(faults)
    let call = random.pick(Self.faultyCalls)
    world.stripe.next(fault, on: call)
    story.append("\(name) on \(call ?? "any")")
  }

  private mutating func step() async throws {
    switch random.pick(0...99) {
    case ..<25: try await begin()
    case ..<40: try await comeBack()
    case ..<55: try await time(random.pick([1, 5, 20, 60, 900, 20_000, 4 * 86_400]))
    case ..<70: try await tell()
    case ..<80: try await refund()
    case ..<85: byHand()
    case ..<90: dispute()
    case ..<95: close()
    case ..<98: payOut()
    default:
      story.append("webhooks are lost")
      world.stripe.loseDeliveries()
    }
  }

  /// The buyer orders, and pays.
  private mutating func begin() async throws {
    let id = UUID()
    orders.append(id)
    story.append("order \(orders.count)")
    try await world.surely { [world] in try await world.order(id) }
    try await pay(id)
  }

  private mutating func comeBack() async throws {
    guard !orders.isEmpty else { return }
    let index = random.pick(0...orders.count - 1)
    story.append("the buyer comes back to \(index + 1)")
    try await pay(orders[index])
  }

  private mutating func pay(_ id: UUID) async throws {
    let card = random.pick(Self.cards)
    let savedFirst = random.chance(50)
    story.append("pays with \(card)")
    try await world.surely { [world] in try await world.visit(id, card: card, usesSaved: savedFirst) }
  }

  private mutating func time(_ seconds: Int) async throws {
    story.append("\(seconds) s")
    try await world.later(seconds)
  }

  private mutating func tell() async throws {
    var policy = DeliveryPolicy()
    policy.order = random.pick([DeliveryPolicy.Order.asHappened, .reversed, .shuffled])
    policy.copies = random.pick(1...2)
    world.stripe.setPolicy(policy)
    story.append("webhooks, \(policy.order), \(policy.copies) times")
    try await world.tell()
  }

  private mutating func refund() async throws {
    guard !orders.isEmpty else { return }
    let (index, part) = (random.pick(0...orders.count - 1), Int64(random.pick([10, 25, 99])))
    story.append("refunds \(part) of \(index + 1)")
    let id = orders[index]
    try await world.surely { [world] in
      do { try await world.refund(id, minorUnits: part) } catch is OrderTransitionError {
        // It is not paid.
      } catch is RefundError {
        // So much is not left.
      }
    }
  }

  // What the operator or a bank cannot do, because nothing was paid or all went back, is left out.
  private mutating func byHand() {
    guard let payment = somePayment() else { return }
    guard (try? world.stripe.refundByHand(payment, amount: 10)) != nil else { return }
    story.append("Stripe's dashboard refunds 10 of \(payment)")
  }

  private mutating func dispute() {
    guard let payment = somePayment() else { return }
    guard (try? world.stripe.dispute(payment, isInquiry: random.chance(20))) != nil else { return }
    story.append("dispute of \(payment)")
  }

  private mutating func close() {
    guard !world.stripe.disputeIDs.isEmpty else { return }
    let (dispute, end) = (random.pick(world.stripe.disputeIDs), random.pick(["won", "lost", "warning_closed", "real"]))
    story.append("\(dispute) is \(end)")
    if end == "real" { try? world.stripe.escalate(dispute) } else { try? world.stripe.close(dispute, as: end) }
  }

  private mutating func payOut() {
    for payout in world.stripe.payOut() {
      let isReturned = random.chance(30)
      story.append("Stripe pays out\(isReturned ? ", and the bank sends it back" : "")")
      if isReturned { try? world.stripe.failPayout(payout) }
    }
  }

  private mutating func somePayment() -> String? {
    let paid = world.stripe.payments.filter { $0.successfulCharges > 0 && $0.refunded < $0.amount }
    return paid.isEmpty ? nil : random.pick(paid).id
  }
}
