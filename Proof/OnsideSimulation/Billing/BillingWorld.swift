import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce

/// The account, its store, provider and devices, and what happens to them, by time.
struct BillingWorld {
  static let account = AccountID(
    UUID.version7(at: Date(timeIntervalSince1970: 0), random: [UInt8](repeating: 1, count: 10)))
  /// How long things go wrong, and how long the world may take to come to rest afterwards, in seconds.
  private static let (roughTime, calmTime) = (700.0 * 86_400, 60.0 * 86_400)
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// What can happen, each at a time of its own.
  enum Event: Equatable {
    case act
    case outboxEntry(BillingBooks.OutboxEntry, process: Int)
    case answer(BillingBooks.OutboxEntry, BillingProvider.State, process: Int)
    case settled(SubscriptionCharge, BillingPayment)
    case paid(BillingOrder)
    case storeStarts
    case refresh(device: Int)
  }

  private struct ScheduledEvent {
    let due: Date
    let number: Int
    let event: Event

    func isBefore(_ other: Self) -> Bool { (due, number) < (other.due, other.number) }
  }

  var random: SeededRandom
  var now = Self.start
  var books: BillingBooks
  var provider = BillingProvider()
  var shop = BillingShop()
  var devices: [BillingDevice]
  var oracle = BillingOracle()
  /// Whether things go wrong.
  private(set) var isRough = true
  var isUp = true
  /// The number of the store's process: what an earlier one was about to do is not done.
  private(set) var process = 0
  /// Whether the store dies with its next write, and whether that is kept.
  var death: (isKept: Bool, seconds: Double)?
  /// How many charges the card refuses, and whether for good.
  var card = (refusals: 0, isDead: false)
  let brokenRule: BrokenBillingRule?
  private(set) var steps = 0
  private(set) var violation: Violation?
  private let story: Story?
  private var scheduled: [ScheduledEvent] = []
  private var scheduledCount = 0

  init(seed: UInt64, brokenRule: BrokenBillingRule?, isTracing: Bool) {
    random = SeededRandom(seed: seed)
    books = BillingBooks(brokenRule: brokenRule)
    devices = ["phone", "tablet"].map { BillingDevice($0, brokenRule: brokenRule) }
    self.brokenRule = brokenRule
    story = isTracing ? Story() : nil
  }

  /// What has happened, line by line.
  var lines: [String] { story?.lines ?? [] }

  /// Lives through everything.
  mutating func live() {
    schedule(.act, in: 60)
    while violation == nil, step(until: Self.start + Self.roughTime) {}
    calmDown()
    while violation == nil, !isAtRest, step(until: Self.start + Self.roughTime + Self.calmTime) {}
    if violation == nil { check(oracle.atRest(books, provider, isAtRest: isAtRest)) }
  }

  private mutating func calmDown() {
    trace("everything works again")
    isRough = false
    (card, death) = ((0, false), nil)
    if !isUp { startStore() }
    for index in devices.indices {
      (devices[index].isOnline, devices[index].clockError) = (true, 0)
      schedule(.refresh(device: index), in: 60)
    }
  }

  /// Nothing is under way, the store has heard of every payment, and the devices know all.
  private var isAtRest: Bool {
    books.outbox.isEmpty
      && provider.charges.allSatisfy { payment, charge in
        charge.state != .pending && (charge.state != .succeeded || books.paid[payment] != nil)
      }
      && devices.allSatisfy { $0.isUpToDate(with: books, at: now) }
  }

  // MARK: Time

  mutating func schedule(_ event: Event, in seconds: Double) {
    scheduledCount += 1
    scheduled.append(ScheduledEvent(due: now + seconds, number: scheduledCount, event: event))
  }

  /// Lets time pass to what happens next, and makes it happen; false when that is after a moment.
  private mutating func step(until limit: Date) -> Bool {
    let next = scheduled.indices.min { scheduled[$0].isBefore(scheduled[$1]) }
    let wake = isUp ? books.machine.wakesAt.map { max(now, $0) } : nil
    let asks = devices.indices.compactMap { index in
      isUp ? devices[index].refreshDue(at: now).map { (due: $0, device: index) } : nil
    }.min { $0.due < $1.due }
    let due = [next.map { scheduled[$0].due }, wake, asks?.due].compactMap(\.self).min() ?? limit
    guard due < limit else { return false }
    now = max(now, due)
    steps += 1
    if let wake, wake <= now {
      passTime()
    } else if let next, scheduled[next].due <= now {
      handle(scheduled.remove(at: next).event)
    } else if let asks {
      refresh(asks.device)
    }
    look()
    return true
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .act:
      guard isRough else { return }
      act()
      schedule(.act, in: Double(random.pick(1...400)) * 7200)
    case .outboxEntry(let entry, let process): if isUp, process == self.process { run(entry) }
    case .answer(let entry, let state, let process): if isUp, process == self.process { hear(state, of: entry) }
    case .settled(let charge, let payment): settle(charge, payment)
    case .paid(let order): tell(order)
    case .storeStarts: startStore()
    case .refresh(let device): refresh(device)
    }
  }

  // MARK: The store

  /// Runs a transaction of the store: it is kept, unless the store dies before its commit.
  mutating func write(_ change: (inout BillingBooks) -> Void) {
    guard isUp else { return }
    let (before, end) = (books, death)
    change(&books)
    if let end {
      if !end.isKept { books = before }
      stopStore(for: end.seconds)
    }
    guard books.news != before.news || books.outbox != before.outbox else { return }
    runOutbox(except: isUp ? before.outbox : [])
    guard books.news != before.news, brokenRule != .devicesHearOfEnds else { return }
    for index in devices.indices where devices[index].isOnline {
      schedule(.refresh(device: index), in: Double(random.pick(1...60)))
    }
  }

  private mutating func stopStore(for seconds: Double) {
    trace("the store dies for \(Int(seconds / 3600)) hours")
    (death, isUp) = (nil, false)
    process += 1
    schedule(.storeStarts, in: seconds)
  }

  private mutating func startStore() {
    guard !isUp else { return }
    trace("the store starts")
    isUp = true
    runOutbox(except: [])
  }

  private mutating func runOutbox(except known: [BillingBooks.OutboxEntry]) {
    guard isUp else { return }
    for entry in books.outbox where !known.contains(entry) {
      schedule(.outboxEntry(entry, process: process), in: Double(random.pick(1...(isRough ? 600 : 5))))
    }
  }

  private mutating func passTime() {
    let (moment, before) = (now, books.machine)
    write { $0.handle(.clock, at: moment) }
    if isUp, books.machine == before { broken(.p4, "the store wakes at \(moment), and does nothing") }
  }

  // MARK: Money

  private mutating func run(_ entry: BillingBooks.OutboxEntry) {
    guard books.outbox.contains(entry) else { return }
    let isLost = isRough && random.chance(15)
    guard !isLost else { return schedule(.outboxEntry(entry, process: process), in: 300) }
    let state = carryOut(entry)
    let isAnswered = !isRough || random.chance(85)
    guard isAnswered else { return schedule(.outboxEntry(entry, process: process), in: 300) }
    if state == .pending, brokenRule != .moneyFirst { return }
    schedule(.answer(entry, state, process: process), in: Double(random.pick(1...20)))
  }

  private mutating func carryOut(_ entry: BillingBooks.OutboxEntry) -> BillingProvider.State {
    switch entry {
    case .refund(let payment, let number, let amount, _):
      provider.refund(payment, number: number, amount: amount)
      trace("\(amount) of \(payment) go back")
      return .succeeded
    case .charge(let charge):
      let payment = payment(for: charge)
      check(provider.fault(of: payment, amount: charge.price.minorUnits))
      check(oracle.fault(of: charge))
      if let known = provider.charges[payment] { return known.state }
      let state = answerOfCard()
      provider.take(payment, amount: charge.price.minorUnits, state)
      trace("\(charge.price.minorUnits) for \(payment): \(state)")
      if state == .pending { schedule(.settled(charge, payment), in: Double(random.pick(60...400_000))) }
      return state
    }
  }

  func payment(for charge: SubscriptionCharge) -> BillingPayment {
    BillingPayment(charge, key: brokenRule == .oneKeyForEachCharge ? process : 0)
  }

  private mutating func answerOfCard() -> BillingProvider.State {
    guard card.isDead || card.refusals > 0 else { return isRough && random.chance(15) ? .pending : .succeeded }
    card.refusals = max(0, card.refusals - 1)
    return .declined(isFinal: card.isDead)
  }

  /// The store has an answer to what it asked.
  private mutating func hear(_ state: BillingProvider.State, of entry: BillingBooks.OutboxEntry) {
    guard books.outbox.contains(entry) else { return }
    let moment = now
    switch entry {
    case .refund: write { $0.done(entry, at: moment) }
    case .charge(let charge): tell(state == .pending ? .succeeded : state, of: charge, payment(for: charge))
    }
  }

  /// The bank has made up its mind; the provider calls the store until it has heard it, perhaps twice.
  private mutating func settle(_ charge: SubscriptionCharge, _ payment: BillingPayment) {
    if provider.charges[payment]?.state == .pending {
      provider.settle(payment, as: isRough && random.chance(30) ? .declined(isFinal: false) : .succeeded)
      trace("\(payment) has \(provider.charges[payment]?.state == .succeeded ? "succeeded" : "failed") after all")
    }
    let state = provider.charges[payment]?.state ?? .pending
    tell(state, of: charge, payment)
    let isHeard = isUp && books.hasHeard(charge)
    if !isHeard || random.chance(20) { schedule(.settled(charge, payment), in: 3600) }
  }

  /// The provider calls the store about a purchase until it has heard it, perhaps twice.
  private mutating func tell(_ order: BillingOrder) {
    let moment = now
    write { $0.hear(order, at: moment) }
    let isHeard = isUp && books.paid[order.payment] != nil
    if !isHeard || random.chance(20) { schedule(.paid(order), in: 3600) }
  }

  private mutating func tell(_ state: BillingProvider.State, of charge: SubscriptionCharge, _ payment: BillingPayment) {
    let moment = now
    write { $0.hear(state, of: charge, payment, at: moment) }
  }

  // MARK: Devices

  private mutating func refresh(_ index: Int) {
    guard devices[index].isOnline else { return }
    guard isUp else { return schedule(.refresh(device: index), in: 600) }
    devices[index].receive(books.list(at: now), news: books.news, at: now)
  }

  // MARK: What is found

  /// Looks at what the devices allow.
  private mutating func look() {
    for index in devices.indices {
      let usable = devices[index].usable(at: now)
      check(oracle.fault(of: devices[index], usable: usable, books, isUp: isUp, at: now))
    }
  }

  mutating func check(_ fault: Violation?) {
    guard let fault, violation == nil else { return }
    broken(fault.promise, fault.text)
  }

  mutating func broken(_ promise: Promise, _ text: String) {
    violation = violation ?? Violation(promise: promise, text: text)
    trace("\(promise.rawValue) is broken: \(text)")
  }

  func trace(_ text: @autoclosure () -> String) {
    if let story { story.lines.append("\(now.ISO8601Format()) \(text())") }
  }

  private final class Story { var lines: [String] = [] }
}
