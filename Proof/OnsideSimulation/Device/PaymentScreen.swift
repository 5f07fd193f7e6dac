import DeterministicRandom
import Foundation
import OnsideAPI

/// A payment page in a browser, and the person before it. It outlives the app that opened it.
@MainActor
final class PaymentScreen {
  private let order: OrderMessage
  private unowned let world: SimulatedWorld
  private var continuation: CheckedContinuation<Void, Never>?
  private var isClosed = false
  private var tries = 0

  init(_ order: OrderMessage, world: SimulatedWorld) {
    self.order = order
    self.world = world
    world.agenda.schedule(in: world.random.pick(200...20_000)) { [self] in decide() }
  }

  /// Returns when the page is closed, or when the SDK closes it.
  func untilClosed() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if isClosed { continuation.resume() } else { self.continuation = continuation }
      }
    } onCancel: {
      Task { @MainActor in release() }
    }
  }

  private func decide() {
    switch world.random.pick(0...99) {
    case 0..<55:
      pay()
      closeSoon(after: 1_000...10_000)
    case 55..<65:
      pay()
      pay()
      closeSoon(after: 1_000...5_000)
    case 65..<78:
      pay()
      close()
    case 78..<92: close()
    default:
      world.agenda.schedule(in: world.random.pick(20_000...240_000)) { [self] in
        if world.random.chance(60) { pay() }
        closeSoon(after: 0...10_000)
      }
    }
  }

  /// Presses the button, and again when nothing happens.
  private func pay() {
    tries += 1
    world.trace { "user pays \($0.name(self.order.id.uuid))" }
    let isLost = world.isRough && world.random.chance(15)
    world.agenda.schedule(in: world.latency()) { [self] in
      guard !isLost else { return payAgain() }
      world.server.pay(order.id.uuid) { [self] isTaken in if !isTaken { payAgain() } }
    }
  }

  private func payAgain() {
    guard tries < 4 else { return close() }
    world.agenda.schedule(in: world.random.pick(1_000...5_000)) { [self] in pay() }
  }

  private func closeSoon(after range: ClosedRange<Int>) {
    world.agenda.schedule(in: world.random.pick(range)) { [self] in close() }
  }

  private func close() {
    world.trace { "user closes the page of \($0.name(self.order.id.uuid))" }
    release()
  }

  private func release() {
    isClosed = true
    continuation?.resume()
    continuation = nil
  }
}
