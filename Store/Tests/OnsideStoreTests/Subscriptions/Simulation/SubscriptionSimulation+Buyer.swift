import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// What a buyer does.
extension SubscriptionSimulation {
  mutating func act(for buyer: Int) async throws {
    guard oracle.accounts[buyer].removedAt == nil else { return }
    guard orders.contains(where: { $0.buyer == buyer }) else {
      let plans = ["small", "small", "other", "basic", "pro", "pro", "weekly", "yearly"]
      return try await buy(buyer, plan: random.pick(plans), with: someWallet())
    }
    switch random.pick(0...99) {
    case ..<22: try await buy(buyer)
    case ..<28: try await redeem(buyer)
    case ..<38: try await comeBack(buyer)
    case ..<46: try await changeCards(buyer)
    case ..<58: try await switchRenewal(buyer)
    case ..<68: try await choosePlan(buyer)
    case ..<78: try await pause(buyer)
    case ..<88: try await answer(buyer)
    case ..<98: try await payByHand(buyer)
    default: try await remove(buyer)
    }
  }

  private mutating func tell(_ buyer: Int, _ event: String) { tell("buyer \(buyer + 1) \(event)") }

  private mutating func buy(_ buyer: Int) async throws {
    var (plan, offer) = (random.pick(SimulatedPlans.plans).id, String?.none)
    if random.chance(40) { (plan, offer) = random.pick(SimulatedPlans.rewards) }
    let fault = random.chance(20) ? random.pick(SimulatedPromotions.Fault.allCases) : nil
    guard let id = try await order(buyer, plan: plan, offer: offer, fault: fault) else { return }
    try await visit(id, by: buyer, with: someWallet())
  }

  /// What a buyer pays with.
  struct Wallet {
    var card = SubscriptionSimulation.cards[0]
    /// Whether the card is saved for other purchases, too.
    var saves = true
    /// Whether a saved card comes first.
    var usesSaved = false
    /// False for another person, who pays by the order's link without the account's login.
    var isOwners = true
  }

  private mutating func someWallet() -> Wallet {
    Wallet(
      card: random.pick(Self.cards), saves: random.chance(50), usesSaved: random.chance(40),
      isOwners: random.chance(85))
  }

  /// Enters the code, and pays the order that it makes.
  private mutating func redeem(_ buyer: Int) async throws {
    let (id, account) = (freshID(), oracle.accounts[buyer].customer.account)
    let made = try await surely { core in
      try? await OfferCodeRedemption(orders: core.orders).redeem(
        SimulatedPlans.code, as: id, for: account, network: "192.0.2.\(buyer)", language: "en"
      ).get()
    }
    tell(buyer, "enters the code: \(made?.lowercase ?? "refused")")
    guard let made else { return }
    orders.append((made, buyer))
    try await visit(made, by: buyer, with: someWallet())
  }

  /// Orders a plan, and pays it.
  mutating func buy(_ buyer: Int, plan: String, offer: String? = nil, with wallet: Wallet = Wallet()) async throws {
    guard let id = try await order(buyer, plan: plan, offer: offer) else { return }
    try await visit(id, by: buyer, with: wallet)
  }

  /// Orders a plan; nil when the account may not have it now.
  ///
  /// - Parameter fault: what is wrong with the signature of a promotional offer.
  @discardableResult
  mutating func order(
    _ buyer: Int, plan: String, offer: String? = nil, fault: SimulatedPromotions.Fault? = nil
  ) async throws -> UUID? {
    let (id, customer) = (freshID(), oracle.accounts[buyer].customer)
    orders.append((id, buyer))
    var named = offer.map { OrderOffer(id: $0) }
    if let offer, SimulatedPlans.isSigned(offer) {
      named?.signature = try promotions.sign(
        offer, of: plan, for: buyer, nonce: id.lowercase, fault: fault, at: world.now)
    }
    let made: UUID? = try await surely { [world, named] _ in
      do {
        try await world.order(id, plan: plan, offer: named, user: SimulatedPromotions.user(buyer), of: customer)
        return id
      } catch is OrderError {
        return nil
      }
    }
    let signature = named?.signature.map { _ in ", signed \(fault?.rawValue ?? "well")" } ?? ""
    tell(buyer, "orders \(plan)\(offer.map { " with \($0)" } ?? "")\(signature): \(made?.lowercase ?? "refused")")
    if made != nil, named?.signature != nil {
      promotions.use(id.lowercase)
      if let fault { oracle.add("buyer \(buyer + 1) has an offer whose signature is \(fault.rawValue)") }
    }
    return made
  }

  /// An order's id out of the seed.
  private mutating func freshID() -> UUID {
    let numbers = [random.next(), random.next()]
    return numbers.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private mutating func comeBack(_ buyer: Int) async throws {
    let own = orders.filter { $0.buyer == buyer }.suffix(3)
    guard !own.isEmpty else { return }
    try await visit(random.pick(Array(own)).id, by: buyer, with: someWallet())
  }

  /// The buyer looks at the page of an order, and pays at the price that it shows.
  mutating func visit(_ id: UUID, by buyer: Int, with wallet: Wallet) async throws {
    try await world.paid.replaceIfDead()
    guard let page = try? await world.page(id), page.state == .open else { return }
    oracle.accounts[buyer].saw(page, of: id)
    if let running = page.running { return try await renewPlan(running, on: page, of: id, buyer) }
    if page.isRenewal { oracle.accounts[buyer].agree(page.product.id, page.price, at: world.now) }
    tell(buyer, "pays \(page.price.minorUnits) for \(page.product.id) with \(wallet)")
    let customer = oracle.accounts[buyer].customer
    // The page of a renewal states it to its account alone.
    let states = wallet.isOwners || !page.isRenewal
    try await world.paid.surely { [world] in
      try await world.pay(id, shown: page.price, stating: states, with: wallet, of: customer)
    }
    guard !wallet.isOwners, let method = world.lastMethod(of: id) else { return }
    oracle.accounts[buyer].isPaid(by: method, for: page)
  }

  /// The buyer presses the button on the page of an order for the running plan, or gives the order up.
  private mutating func renewPlan(
    _ running: RunningPlan, on page: PaymentPage, of order: UUID, _ buyer: Int
  ) async throws {
    let (renews, wasOff) = (random.chance(70), oracle.accounts[buyer].offBeforeChoice)
    let (plan, price) = (page.product.id, running.price)
    try await world.paid.surely { [world] in
      let token = world.core.payments.tokens.token(orderID: order)
      guard renews else {
        try await world.core.payments.cancel(token)
        return
      }
      _ = try await world.core.payments.renewPlan(token, shownPrice: price)
    }
    tell(buyer, "\(renews ? "renews" : "does not renew") \(plan) by an order, at \(price.minorUnits)")
    let customer = oracle.accounts[buyer].customer
    let ended = try await surely { [world] _ in try await world.orders(of: customer) }.first { $0.id == order }
    if ended?.state.stage == .cancelled, !running.acceptsOffer {
      oracle.add("\(order.lowercase) is cancelled, and its plan is owned")
    }
    guard renews, let after = try await subscription(buyer), after.machine.autoRenews else { return }
    oracle.accounts[buyer].agree(plan, price, at: world.now)
    oracle.accounts[buyer].offSince = nil
    oracle.accounts[buyer].offBeforeChoice = after.machine.nextPlan == nil ? nil : wasOff
    if running.acceptsOffer, ended?.state.stage == .paid {
      oracle.accounts[buyer].accepted = (plan, oracle.accounts[buyer].terms(on: page))
    }
  }

  private mutating func payByHand(_ buyer: Int) async throws {
    guard let id = try await subscription(buyer)?.renewalOrder else { return }
    tell(buyer, "looks at the unpaid renewal")
    try await visit(id, by: buyer, with: someWallet())
  }

  private mutating func changeCards(_ buyer: Int) async throws {
    let (customer, card, choice) = (oracle.accounts[buyer].customer, random.pick(Self.cards), random.pick(0...4))
    if choice == 4 { return try await chooseMethod(buyer) }
    let (before, replaces) = (try await savedCards(of: customer), random.chance(50))
    let usedBefore = try await subscription(buyer)?.method
    let replacement = replaces ? try await surely { try await $0.payments.methods(of: customer.account) }.first : nil
    tell(buyer, choice < 2 ? "adds the card \(card)" : choice == 2 ? "removes a card" : "prefers another card")
    try await world.paid.surely { [world] in
      if choice < 2 {
        // The page says when Stripe does not answer.
        do { return try await world.addCard(card, of: customer) } catch is StripeError { return }
      }
      let methods = try await world.core.payments.methods(of: customer.account)
      guard let last = methods.last else { return }
      if choice == 2 {
        let uses = try await world.core.subscriptions.current(of: customer.account).filter { $0.method?.id == last.id }
        let statement = MethodRemovalAnswer.statement(of: uses.map(\.subscription).filter(\.machine.autoRenews))
        _ = try await world.core.payments.remove(
          last.id, of: customer.account,
          answer: MethodRemovalAnswer(replacement: replacement?.id, statement: statement))
      } else {
        try await world.core.payments.prefer(last.id, of: customer.account)
      }
    }
    guard choice == 2 else { return }
    for card in before.subtracting(try await savedCards(of: customer)) {
      oracle.accounts[buyer].removedMethods[card] = world.now
    }
    guard let after = try await subscription(buyer) else { return }
    if after.method != usedBefore {
      oracle.accounts[buyer].use(after.machine.autoRenews ? replacement?.details.reference : nil, at: world.now)
    }
    // The removal of the subscription's card ends its renewal, unless it is unpaid or paused.
    if !after.machine.autoRenews { oracle.accounts[buyer].offSince = oracle.accounts[buyer].offSince ?? world.now }
  }

  private func savedCards(of customer: Customer) async throws -> Set<String> {
    Set(try await surely { try await $0.payments.methods(of: customer.account) }.map(\.details.reference))
  }

  private mutating func chooseMethod(_ buyer: Int) async throws {
    guard let known = try await subscription(buyer), case let key = known.key,
      let method = try await surely({ try await $0.payments.methods(of: key.account) }).last
    else { return }
    let price = known.machine.nextPrice
    let wasDone = try await surely { try await $0.subscriptions.setMethod(method.id, shownPrice: price, of: key) }
    if wasDone { oracle.accounts[buyer].use(method.details.reference, at: world.now) }
    tell(buyer, "chooses the card \(method.details.reference) for the subscription: \(wasDone)")
  }

  private func subscription(_ buyer: Int) async throws -> StoredSubscription? {
    try await surely { _ in try await world.subscription(of: oracle.accounts[buyer].customer) }
  }

  private mutating func switchRenewal(_ buyer: Int) async throws {
    guard let known = try await subscription(buyer), known.machine.isSubscribed else { return }
    let (isOn, price, key) = (random.chance(60), known.machine.nextPrice, known.key)
    let wasDone = try await surely { core in
      try await core.subscriptions.setAutoRenew(isOn, shownPrice: price, of: key)
    }
    tell(buyer, "switches the renewal \(isOn ? "on" : "off"): \(wasDone)")
    guard let after = try await subscription(buyer) else { return }
    if isOn, let price, after.machine.autoRenews {
      oracle.accounts[buyer].offSince = nil
      if wasDone, let plan = known.machine.nextPlan ?? known.machine.period?.plan {
        oracle.accounts[buyer].agree(plan.productID, price, at: world.now)
      }
    }
    if !isOn, !after.machine.autoRenews {
      oracle.accounts[buyer].offSince = oracle.accounts[buyer].offSince ?? world.now
    }
  }

  private mutating func choosePlan(_ buyer: Int) async throws {
    guard let known = try await subscription(buyer), let present = known.machine.period?.plan else { return }
    let plan = random.pick(SimulatedPlans.plans).id
    let price = Money(minorUnits: plans.prices[plan] ?? 0, currency: .eur)
    let (key, wasOff) = (known.key, oracle.accounts[buyer].offSince)
    let choice = try await surely { core in
      try await core.subscriptions.choosePlan(plan, shownPrice: price, language: "en", of: key)
    }
    tell(buyer, "chooses \(plan) instead of \(present.productID): \(choice)")
    if choice == .planned {
      oracle.accounts[buyer].accepted = nil
      oracle.accounts[buyer].agree(plan, price, at: world.now)
      oracle.accounts[buyer].offBeforeChoice = oracle.accounts[buyer].offBeforeChoice ?? wasOff
      oracle.accounts[buyer].offSince = nil
    } else if choice == .kept, let after = try await subscription(buyer) {
      oracle.accounts[buyer].offSince =
        after.machine.autoRenews ? nil : oracle.accounts[buyer].offBeforeChoice ?? wasOff
      oracle.accounts[buyer].offBeforeChoice = nil
    }
  }

  private mutating func pause(_ buyer: Int) async throws {
    guard let known = try await subscription(buyer), known.machine.isSubscribed else { return }
    let (key, months, price) = (known.key, random.pick(1...3), known.machine.nextPrice)
    let choice = random.pick(["pauses", "pauses", "drops the pause", "resumes"])
    let wasDone = try await surely { core in
      switch choice {
      case "pauses":
        return try await core.subscriptions.pause(months: months, of: key)
      case "resumes":
        guard let price else { return false }
        return try await core.subscriptions.resume(shownPrice: price, of: key)
      default:
        return try await core.subscriptions.dropPause(of: key)
      }
    }
    tell(buyer, "\(choice) for \(months) months: \(wasDone)")
    if choice == "pauses" { oracle.accounts[buyer].pauses.append(world.now) }
    if choice == "resumes", let price, let plan = known.machine.nextPlan ?? known.machine.period?.plan {
      oracle.accounts[buyer].agree(plan.productID, price, at: world.now)
    }
  }

  private mutating func answer(_ buyer: Int) async throws {
    guard let known = try await subscription(buyer), known.machine.isAskedAboutPrice,
      let price = known.machine.pendingPrice,
      let plan = known.machine.period?.plan.productID
    else { return }
    let (accepts, key) = (random.chance(60), known.key)
    let wasDone = try await surely { core in
      try await core.subscriptions.answerPrice(accepts: accepts, shownPrice: price, of: key)
    }
    tell(buyer, "\(accepts ? "accepts" : "declines") \(price.minorUnits): \(wasDone)")
    if accepts {
      let isAgreed = try await subscription(buyer)?.machine.isAskedAboutPrice == false
      if isAgreed { oracle.accounts[buyer].agree(plan, price, at: world.now) }
    } else if let after = try await subscription(buyer), !after.machine.autoRenews {
      oracle.accounts[buyer].offSince = oracle.accounts[buyer].offSince ?? world.now
    }
  }

  private mutating func remove(_ buyer: Int) async throws {
    guard let id = AccountID(oracle.accounts[buyer].customer.account) else { return }
    tell(buyer, "removes the account")
    try await world.paid.surely { [world] in try await world.core.accounts.remove(id) }
    oracle.accounts[buyer].removedAt = world.now
  }

  /// What a step that may be repeated has come to, once the store has lived through it.
  private func surely<Result>(_ step: (StoreCore) async throws -> Result) async throws -> Result {
    for _ in 0..<20 {
      do {
        let result = try await step(world.core)
        if !world.paid.database.isDead { return result }
      } catch  where world.paid.database.isDead {}
      try await world.paid.replaceIfDead()
    }
    throw MortalDatabase.Killed()
  }
}
