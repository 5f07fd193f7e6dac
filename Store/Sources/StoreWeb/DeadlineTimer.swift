public import ServiceLifecycle
public import StoreBase
import Synchronization

/// One timer for everything that waits: a thousand waiting polls are a thousand entries in a table, not a thousand
/// sleeping tasks. Deadlines are kept to a quarter of a second.
public final class DeadlineTimer: Service {
  /// Names an entry, so that it can be taken back.
  package struct Ticket: Sendable {
    fileprivate let tick: Int64
    fileprivate let id: UInt64
  }

  private struct State {
    var nextID: UInt64 = 0
    var entries: [Int64: [UInt64: @Sendable () -> Void]] = [:]
  }

  private static let tick: Duration = .milliseconds(250)

  private let clock: any StoreClock
  private let state = Mutex(State())

  /// A timer; it fires while ``run()`` runs.
  public init(clock: any StoreClock) {
    self.clock = clock
  }

  /// How many entries wait.
  var count: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.count } } }

  /// Runs `action` after a while unless it is taken back.
  package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> Ticket {
    let tick = Int64((clock.uptime() + delay) / Self.tick) + 1
    return state.withLock { state in
      state.nextID += 1
      state.entries[tick, default: [:]][state.nextID] = action
      return Ticket(tick: tick, id: state.nextID)
    }
  }

  package func cancel(_ ticket: Ticket) {
    state.withLock { state in
      state.entries[ticket.tick]?[ticket.id] = nil
      if state.entries[ticket.tick]?.isEmpty == true { state.entries[ticket.tick] = nil }
    }
  }

  /// Fires what is due until the service stops.
  public func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await self.clock.sleep(for: Self.tick) }
      fire()
    }
  }

  /// Runs everything that is due now.
  func fire() {
    let now = Int64(clock.uptime() / Self.tick)
    let due = state.withLock { state in
      let ticks = state.entries.keys.filter { $0 <= now }
      return ticks.flatMap { state.entries.removeValue(forKey: $0)?.values.map { $0 } ?? [] }
    }
    for action in due { action() }
  }
}
