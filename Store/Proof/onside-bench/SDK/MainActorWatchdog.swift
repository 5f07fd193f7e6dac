import Foundation
import Synchronization

/// Measures the longest turn of the main actor: a thread requests a turn repeatedly and records the longest wait. No
/// other turn can have been longer than that wait plus the pause between two requests.
final class MainActorWatchdog: Sendable {
  /// The pause between two requests, in seconds.
  static let pause: TimeInterval = 0.0005

  private let longest = Mutex(Duration.zero)
  private let isStopped = Atomic(false)

  func start() {
    Thread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        ask()
        Thread.sleep(forTimeInterval: Self.pause)
      }
    }.start()
  }

  /// The longest wait since the start or the last call, in milliseconds.
  func takeLongest() -> Double {
    longest.withLock { longest in
      defer { longest = .zero }
      return longest.milliseconds
    }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func ask() {
    let asked = ContinuousClock.now
    let answered = DispatchSemaphore(value: 0)
    Task { @MainActor [self] in
      let waited = asked.duration(to: .now)
      longest.withLock { $0 = max($0, waited) }
      answered.signal()
    }
    answered.wait()
  }
}

extension Duration {
  var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15 }
}
