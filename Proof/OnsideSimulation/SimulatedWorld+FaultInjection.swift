import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// Fault injection: what users, networks, disks and power do in the rough phase.
extension SimulatedWorld {
  func planFaults() {
    for device in devices { planNext(for: device) }
    planElsewhere()
    planExpiry()
  }

  // MARK: The network

  /// The latency of a message, in milliseconds.
  func latency() -> Int {
    guard isRough else { return random.pick(5...30) }
    return random.chance(4) ? random.pick(1_000...25_000) : random.pick(5...400)
  }

  func fate(of device: SimulatedDevice) -> Fate {
    guard isRough else { return .arrives }
    if device.isCutOff { return random.chance(50) ? .lost : .refused }
    switch random.pick(0...99) {
    case 0..<7: return .lost
    case 7..<15: return .answerLost
    case 15..<23: return .repeated
    case 23..<26: return .refused
    case 26..<29: return .overloaded
    case 29..<32: return .foreign
    default: return .arrives
    }
  }

  /// Ends every open call to the store with a connection error.
  func brokenConnections() {
    for device in devices { device.session?.link.breakConnections() }
  }

  /// The transaction that a call of `purchase` has returned to deliver.
  func purchase(of result: OnsidePurchaseResult?) -> OnsidePaymentTransaction? {
    switch result {
    case .purchased(let transaction): transaction
    case .pending(let transaction):
      brokenRule == .oneCallDelivers && transaction.transactionState == .purchased ? transaction : nil
    default: nil
    }
  }

  // MARK: Time

  /// The SDK's sleep.
  func sleep(_ seconds: Double) async throws {
    let sleeper = Sleeper()
    let plan = agenda.schedule(in: Int(seconds * 1000)) { sleeper.wake() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { sleeper.continuation = $0 }
    } onCancel: {
      Task { @MainActor in
        self.agenda.cancel(plan)
        sleeper.wake()
      }
    }
    try Task.checkCancellation()
  }

  /// Waits for so many milliseconds of simulated time.
  func pause(_ milliseconds: Int) async {
    await withCheckedContinuation { continuation in
      agenda.schedule(in: milliseconds) { continuation.resume() }
    }
  }

  // MARK: Devices

  /// Lets the app finish a transaction some time later.
  func finishLater(_ transaction: UUID, on name: String) {
    guard let device = devices.first(where: { $0.name == name }) else { return }
    agenda.schedule(in: random.pick(isRough ? 0...25_000 : 0...500)) { device.session?.finish(transaction) }
  }

  private func planNext(for device: SimulatedDevice) {
    agenda.schedule(in: random.pick(500...18_000)) { [self] in
      guard isRough else { return }
      if let session = device.session { act(on: device, session) }
      planNext(for: device)
    }
  }

  /// Mostly one, so that second presses of one button are frequent.
  private func quantity(of product: String) -> Int { product == "coins" ? random.pick([1, 1, 1, 3]) : 1 }

  private func act(on device: SimulatedDevice, _ session: AppSession) {
    switch random.pick(0...99) {
    case 0..<42:
      let product = random.pick(SimulatedProducts.ids)
      let quantity = quantity(of: product)
      if random.chance(25) {
        session.purchase(product, quantity: quantity, taps: random.pick([1, 2]), in: self)
      } else {
        session.add(product, quantity: quantity, in: self)
      }
      guard random.chance(5) else { return }
      logOutInTheSameTurn(device, session)
    case 42..<52:
      guard let id = session.transactions.randomElement(using: &random)?.id else { return }
      session.finish(id)
      guard random.chance(20) else { return }
      logOutInTheSameTurn(device, session)
    case 52..<56:
      trace { _ in "\(device.name) restores" }
      session.restore()
    case 56..<60:
      trace { _ in "\(device.name) logs out" }
      session.logout()
    case 60..<64: session.login()
    case 64..<68:
      trace { _ in "\(device.name) adds or removes its observer" }
      session.toggleObserver()
    case 68..<75: device.disk.die(random.chance(50) ? .kill : .powerCut)
    case 75..<88: device.disk.dieLater(random.chance(40) ? .kill : .powerCut, calls: random.pick(0...14))
    case 88..<94:
      trace { _ in "\(device.name) is cut off" }
      device.isCutOff = true
      agenda.schedule(in: random.pick(2_000...40_000)) { device.isCutOff = false }
    default:
      trace { _ in "\(device.name) has a full disk" }
      device.disk.failWrites(true)
      agenda.schedule(in: random.pick(1_000...20_000)) { device.disk.failWrites(false) }
      // A restore may meet a finish that the disk does not take.
      if random.chance(50) { agenda.schedule(in: random.pick(500...10_000)) { device.session?.restore() } }
    }
  }

  private func logOutInTheSameTurn(_ device: SimulatedDevice, _ session: AppSession) {
    trace { _ in "\(device.name) logs out in the same turn" }
    session.logout()
  }

  // MARK: Elsewhere

  private func planElsewhere() {
    agenda.schedule(in: random.pick(2_000...30_000)) { [self] in
      guard isRough else { return }
      actElsewhere()
      planElsewhere()
    }
  }

  private func actElsewhere() {
    let account = random.pick(Self.accounts)
    let now = agenda.clock.now
    switch random.pick(0...99) {
    case 0..<35:
      server.die()
      agenda.schedule(in: random.pick(100...10_000)) { [self] in server.start() }
    case 35..<60:
      let product = random.pick(["coins", "club"])
      let quantity = quantity(of: product)
      let id = UUID.version7(at: now, random: (0..<10).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      trace { "\($0.name(of: account)) buys \(quantity) × \(product) elsewhere: \($0.name(id))" }
      server.change { books in
        books.sellElsewhere(
          product, quantity: quantity, to: account, as: id, reason: product == "club" ? .renewal : .purchase, at: now)
      }
    case 60..<85:
      let paid = server.books.orders.values.filter(\.keepsMoney).map(\.id).sorted()
      guard let id = paid.randomElement(using: &random) else { return }
      trace { "support refunds \($0.name(id))" }
      server.change { $0.refund(id, at: now) }
    default:
      let country = random.chance(50) ? CountryCode.netherlands : .unitedStates
      trace { "\($0.name(of: account)) moves to \(country)" }
      server.change { $0.move(account, to: country, at: now) }
    }
  }

  /// Plans a refund for some orders, perhaps before any device knows of the payment.
  func regretsLater(_ order: UUID) {
    guard isRough, random.chance(12) else { return }
    agenda.schedule(in: random.pick(100...30_000)) { [self] in
      guard isRough else { return }
      trace { "the buyer of \($0.name(order)) wants the money back" }
      let now = agenda.clock.now
      server.change { $0.refund(order, at: now) }
    }
  }

  private func planExpiry() {
    agenda.schedule(in: 60_000) { [self] in
      guard !isOver else { return }
      let now = agenda.clock.now
      if server.books.hasExpired(at: now) { server.change { $0.expireOrders(at: now) } }
      planExpiry()
    }
  }
}

/// A suspended call of the SDK's sleep, which is resumed once.
@MainActor
private final class Sleeper {
  var continuation: CheckedContinuation<Void, Never>?
  private var isAwake = false

  func wake() {
    isAwake = true
    continuation?.resume()
    continuation = nil
  }
}
