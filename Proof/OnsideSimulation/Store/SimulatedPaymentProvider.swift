import DeterministicRandom
import Foundation

/// The id of a payment of an order. The provider uses it as the idempotency key, so that a repeated charge does
/// nothing.
struct PaymentID: Hashable, Sendable {
  let order: UUID
  let number: Int
}

/// An event that the provider sends to the store.
struct SimulatedProviderEvent: Sendable {
  enum Kind: Sendable { case succeeded, declined, refunded }
  let id: Int
  let payment: PaymentID
  let kind: Kind
}

/// The simulated payment provider. It loses no state, and sends each event until the store has acknowledged it, also
/// late and twice.
@MainActor
final class SimulatedPaymentProvider {
  private enum Status { case pending, declined, charged, refunded }

  private var payments: [PaymentID: Status] = [:]
  private var lastEvent = 0
  private var unheard: Set<Int> = []
  private unowned let world: SimulatedWorld

  init(world: SimulatedWorld) { self.world = world }

  /// The payments of an order whose money was taken and not given back.
  func charges(of order: UUID) -> Int { payments.count { $0.key.order == order && $0.value == .charged } }

  var isSettled: Bool { !payments.values.contains(.pending) && unheard.isEmpty }

  func charge(_ payment: PaymentID) {
    guard payments[payment] == nil else { return }
    payments[payment] = .pending
    let seconds = world.random.chance(10) ? world.random.pick(10...150) : world.random.pick(0...3)
    let isAccepted = world.random.chance(85)
    world.agenda.schedule(in: seconds * 1000) { [self] in
      payments[payment] = isAccepted ? .charged : .declined
      if charges(of: payment.order) > 1 { world.broken(.p2, text: "\(world.name(payment.order)) is charged twice") }
      world.trace { "provider \(isAccepted ? "takes" : "declines") the money for \($0.name(payment.order))" }
      tell(isAccepted ? .succeeded : .declined, of: payment)
      if isAccepted { world.regretsLater(payment.order) }
    }
  }

  func refund(_ payment: PaymentID) {
    guard payments[payment] == .charged else { return }
    payments[payment] = .refunded
    world.trace { "provider gives the money for \($0.name(payment.order)) back" }
    tell(.refunded, of: payment)
  }

  private func tell(_ kind: SimulatedProviderEvent.Kind, of payment: PaymentID) {
    lastEvent += 1
    unheard.insert(lastEvent)
    let event = SimulatedProviderEvent(id: lastEvent, payment: payment, kind: kind)
    send(event)
    if world.random.chance(20) {
      world.agenda.schedule(in: world.random.pick(10...60_000)) { [self] in deliver(event) }
    }
  }

  /// Sends an event, and again until the store has acknowledged it.
  private func send(_ event: SimulatedProviderEvent) {
    if !world.isRough || !world.random.chance(15) { deliver(event) }
    world.agenda.schedule(in: world.random.pick(2...30) * 1000) { [self] in
      if unheard.contains(event.id) { send(event) }
    }
  }

  private func deliver(_ event: SimulatedProviderEvent) {
    world.agenda.schedule(in: world.latency()) { [self] in
      world.server.hear(event) { [self] in unheard.remove(event.id) }
    }
  }
}
