import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// Devices with the real payment queue, the store, the payment provider, the people and the network between them: all
/// of it from one seed.
@MainActor
final class SimulatedWorld {
  let agenda = Agenda()
  var random: SeededRandom
  let brokenRule: BrokenRule?
  private(set) lazy var server = StoreServer(world: self)
  private(set) lazy var provider = SimulatedPaymentProvider(world: self)
  private(set) var devices: [SimulatedDevice] = []
  /// Whether things go wrong.
  private(set) var isRough = true
  /// Whether everything has been seen: nothing begins any more.
  private(set) var isOver = false
  private(set) var steps = 0
  private(set) var violation: Violation?
  private(set) var lines: [String] = []
  private let isTracing: Bool
  private var names: [UUID: String] = [:]
  /// Orders that the store has said to be paid, to whomever.
  private var saidPaid: Set<UUID> = []
  /// The devices that have given their user what an order has bought, in that order.
  private var granters: [UUID: [String]] = [:]
  /// The device on which an order was finished before its account's session ended there.
  private var farewells: [UUID: String] = [:]
  /// What the last check has seen: commits of the store, and what devices were told.
  private var checked = (commits: 0, told: 0)

  static let accounts = (1...2).map { number in
    AccountID(UUID.version7(at: Date(timeIntervalSince1970: 0), random: [UInt8](repeating: UInt8(number), count: 10)))
  }
  /// How long things go wrong, in milliseconds.
  private static let roughTime = 150_000
  /// How long the world may take to come to rest afterwards.
  private static let calmTime = 2_700_000
  /// Longer than the SDK pauses after a failure, in milliseconds.
  private static let pauseTime = 120_000

  init(seed: UInt64, brokenRule: BrokenRule?, isTracing: Bool) {
    random = SeededRandom(seed: seed)
    self.brokenRule = brokenRule
    self.isTracing = isTracing
  }

  /// Lives through everything; `rest` returns when what a step has set off is done.
  func live(rest: () async -> Void) async {
    populate()
    while violation == nil, agenda.next(until: Self.roughTime) { await complete(rest) }
    isRough = false
    server.start()
    for account in Self.accounts where violation == nil {
      await settle(account, rest)
      await restart(rest)
    }
    isOver = true
    for device in devices { device.die(.kill) }
    await rest()
    // What is still planned holds the world, and tasks that wait for it.
    while agenda.next() { await rest() }
  }

  /// Lets everything come to rest for an account on all devices.
  private func settle(_ account: AccountID, _ rest: () async -> Void) async {
    trace { _ in "calm: everybody is \(self.name(of: account))" }
    for device in devices { device.calmDown(for: account) }
    let end = agenda.clock.milliseconds + Self.calmTime
    while violation == nil, let open = unsettled(for: account) {
      guard agenda.next(until: end) else { return broken(open.promise, text: open.text) }
      await complete(rest)
      for device in devices { device.keep(account) }
    }
  }

  /// Restarts every device while nothing is open: each disk equals the queue it is read into, so no app is notified.
  private func restart(_ rest: () async -> Void) async {
    trace { _ in "calm: every device starts again" }
    await pass(Self.pauseTime, rest)
    for device in devices {
      device.die(.kill)
      device.app.isAtRest = !device.disk.hasBeenFull
      device.start()
    }
    await pass(Self.pauseTime, rest)
    for device in devices { device.app.isAtRest = false }
  }

  private func pass(_ milliseconds: Int, _ rest: () async -> Void) async {
    let end = agenda.clock.milliseconds + milliseconds
    while violation == nil, agenda.next(until: end) { await complete(rest) }
  }

  private func complete(_ rest: () async -> Void) async {
    await rest()
    steps += 1
    let dead = devices.filter { $0.buryIfDead() }
    for device in dead { agenda.schedule(in: random.pick(500...10_000)) { device.start() } }
    checkStep()
    // What was set off by a funeral belongs to the step.
    if !dead.isEmpty { await rest() }
  }

  private func populate() {
    server.found(Self.accounts)
    for (index, name) in ["phone", "tablet"].enumerated() {
      let device = SimulatedDevice(name, accounts: Self.accounts, seed: random.next(), world: self)
      devices.append(device)
      if index == 0 { device.signedIn = SignedIn(accountID: Self.accounts[0], country: .netherlands) }
      device.start()
    }
    planFaults()
  }

  // MARK: Promises

  func broken(_ promise: Promise, text: String) {
    guard violation == nil else { return }
    violation = Violation(promise: promise, text: text)
    trace { _ in "BROKEN \(promise.rawValue): \(text)" }
  }

  func saysPaid(_ order: UUID) { saidPaid.insert(order) }

  /// A device gives its user a consumable: once for each payment, unless its device was silent for as long as a lease.
  func grants(_ order: UUID, on device: String) {
    if let first = farewells[order], first != device {
      broken(.p3, text: "\(first) has finished \(name(order)) and ended its session, and \(device) grants it again")
    }
    if let first = granters[order]?.last, server.takenOver[order]?.contains(device) != true {
      broken(.p3, text: "\(name(order)) is granted on \(first) and on \(device)")
    }
    granters[order, default: []].append(device)
  }

  /// The session of an account ends on a device that has finished these orders.
  func saysFarewell(_ orders: Set<UUID>, on device: String) {
    for order in orders { farewells[order] = device }
  }

  private func checkStep() {
    let state = (server.commits, devices.reduce(saidPaid.count) { $0 + $1.app.failed.count })
    guard state != checked else { return }
    checked = state
    for id in saidPaid where server.durable.orders[id]?.isPaid != true {
      broken(.p1, text: "the store said that \(name(id)) is paid, and has forgotten it")
    }
    for device in devices {
      for id in device.app.failed where server.durable.orders[id]?.keepsMoney == true {
        broken(.p1, text: "\(device.name): \(name(id)) was told to have failed, and the store keeps the money")
      }
    }
  }

  // MARK: The trace

  func trace(_ text: (SimulatedWorld) -> String) {
    guard isTracing else { return }
    let time = agenda.clock.milliseconds
    lines.append("\(time / 60_000):\(String(format: "%06.3f", Double(time % 60_000) / 1000)) \(text(self))")
  }

  /// A short name for an order, the same in every run of a seed.
  func name(_ id: UUID) -> String {
    if let name = names[id] { return name }
    let name = "o\(names.count + 1)"
    names[id] = name
    return name
  }

  func name(of account: AccountID) -> String { account == Self.accounts[0] ? "Ada" : "Ben" }

  func describe(_ call: DeviceCall) -> String {
    switch call {
    case .order(let id, let request): "for \(name(id.uuid)): \(request.productID)"
    case .check(let id): "about \(name(id.uuid))"
    case .cancel(let id): "to cancel \(name(id.uuid))"
    case .claim(let id): "to deliver \(name(id.uuid))"
    case .finish(let id): "to finish \(name(id.uuid))"
    case .sync(let cursor, let wait): "to sync since \(cursor ?? "-") waiting \(wait)"
    case .restorable: "what is restorable"
    }
  }
}
