import DeterministicRandom
import Foundation
import OnsideCommerce

/// What the person, the operator and the machines' owners do in the rough time.
extension BillingWorld {
  mutating func act() {
    switch random.pick(0...99) {
    case 0..<24: buy()
    case 24..<30: choose()
    case 30..<38: switchRenewal()
    case 38..<44: pauseOrResume()
    case 44..<52: spoilCard()
    case 52..<58: newCard()
    case 58..<63: refund()
    case 63..<70: reprice()
    case 70..<78: answerPrice()
    case 78..<86: scheduleDeath()
    case 86..<93: toggleNetwork()
    default: setClock()
    }
  }

  private var present: String? { books.machine.isSubscribed ? books.machine.period?.plan.productID : nil }

  // MARK: The person

  private mutating func buy() {
    let plan = shop.plan(random.pick(BillingShop.plans))
    let offer = random.chance(40) ? shop.offer(random.pick(BillingShop.offers), of: plan) : nil
    let order = shop.order(plan, offer: offer)
    let kind = offer.map { " (\($0.kind.rawValue))" } ?? ""
    trace("buys \(plan.productID) for \(order.price.minorUnits)\(kind): \(order.payment)")
    provider.take(order.payment, amount: order.price.minorUnits, .succeeded)
    oracle.agrees(to: plan, offer)
    schedule(.paid(order), in: Double(random.pick(1...7200)))
  }

  private mutating func choose() {
    let plan = shop.plan(random.pick(BillingShop.plans))
    trace("chooses \(plan.productID) for the next renewal")
    oracle.agrees(to: plan, nil)
    tell(.planChosen(plan))
  }

  private mutating func switchRenewal() {
    let on = random.chance(50)
    trace("switches the renewal \(on ? "on" : "off")")
    // Renewals have the new price or there are none.
    if on, let plan = books.machine.period?.plan, let price = books.machine.nextPrice {
      oracle.agrees(to: plan, at: price)
    }
    tell(.autoRenewSwitched(on: on))
  }

  private mutating func pauseOrResume() {
    if random.chance(50) {
      let days = random.pick(5...90)
      trace("pauses for \(days) days")
      tell(.pauseRequested(until: now + Double(days) * 86_400))
    } else {
      trace("resumes")
      tell(.resumed)
    }
  }

  private mutating func newCard() {
    trace("has a new card")
    card = (0, false)
    tell(.retryRequested)
  }

  private mutating func answerPrice() {
    guard let price = books.askedPrice, let plan = books.machine.period?.plan else { return }
    let accepts = random.chance(60)
    trace("\(accepts ? "accepts" : "declines") \(price.minorUnits)")
    if accepts { oracle.agrees(to: plan, at: price) }
    let moment = now
    write { books in
      books.clearAskedPrice()
      books.handle(.priceAnswered(accepted: accepts), at: moment)
    }
  }

  private mutating func tell(_ event: SubscriptionEvent) {
    let moment = now
    write { $0.handle(event, at: moment) }
  }

  // MARK: Bank and operator

  private mutating func spoilCard() {
    card = random.chance(25) ? (0, true) : (random.pick(1...12), false)
    trace("the card is \(card.isDead ? "closed" : "refused \(card.refusals) times")")
  }

  private mutating func refund() {
    guard let index = books.soldPeriods.indices.filter({ books.left(of: books.soldPeriods[$0].payment) > 0 }).last
    else { return }
    trace("support refunds period \(books.soldPeriods[index].period.number)")
    write { $0.refund(period: index) }
  }

  private mutating func reprice() {
    let id = present ?? random.pick(BillingShop.plans)
    let old = shop.plan(id)
    shop.setPrice(of: id, to: random.pick([old.price.minorUnits + 100, old.price.minorUnits * 2, 99]))
    let plan = shop.plan(id)
    trace("\(id) costs \(plan.price.minorUnits) instead of \(old.price.minorUnits)")
    guard present == id, let period = books.machine.period else { return }
    let needsConsent = PriceRiseRules.standard.needsConsent(
      from: period.price, to: plan.price, period: plan.period, isFirst: random.chance(50))
    // What needs none is told of in time, by a message of the store.
    if !needsConsent { oracle.agrees(to: plan, at: plan.price) }
    tell(.priceChanged(to: plan.price, needsConsent: needsConsent && brokenRule != .consentIsNeeded))
  }

  // MARK: Machines

  private mutating func scheduleDeath() {
    death = (random.chance(50), Double(random.pick([60, 3600, 86_400, 15 * 86_400])))
  }

  private mutating func toggleNetwork() {
    let index = random.pick(0...devices.count - 1)
    devices[index].isOnline.toggle()
    trace("\(devices[index].name) is \(devices[index].isOnline ? "online" : "offline")")
    if devices[index].isOnline { schedule(.refresh(device: index), in: 30) }
  }

  private mutating func setClock() {
    let index = random.pick(0...devices.count - 1)
    devices[index].clockError = Double(random.pick([0, 0, -40, -3, 2, 30])) * 86_400
    trace("\(devices[index].name) has a clock that is \(Int(devices[index].clockError / 86_400)) days ahead")
  }
}
