import Dispatch
import Synchronization

/// Work that a pool was given.
struct PoolWork: Sendable {
  /// Delivers the work's result.
  typealias Delivery = @Sendable () -> Void

  let number: UInt64
  /// Works with a connection, or with the error for which there is none.
  let run: @Sendable (Result<PostgresConnection, PostgresError>) -> Delivery
}

/// The thread of one connection, as the pool sees it.
final class PoolWorker: Sendable {
  private let handed = Mutex<PoolWork?>(nil)
  private let signal = DispatchSemaphore(value: 0)

  /// Hands over work, or wakes the thread without any.
  func wake(with work: PoolWork? = nil) {
    if let work { handed.withLock { $0 = work } }
    signal.signal()
  }

  /// Waits until the thread is woken; nil when there is no work.
  func wait() -> PoolWork? {
    signal.wait()
    return handed.withLock { work in
      defer { work = nil }
      return work
    }
  }
}

/// The connection of one thread.
final class PoolSlot {
  private let address: PostgresAddress
  private let settings: PostgresSettings
  private let timeline: PostgresTimeline?
  private var connection: PostgresConnection?
  private var generation: UInt64 = 0

  init(_ address: PostgresAddress, settings: PostgresSettings, timeline: PostgresTimeline?) {
    self.address = address
    self.settings = settings
    self.timeline = timeline
  }

  /// Runs work with a connection of the generation, and puts the connection in order again.
  func run(_ work: PoolWork, generation: UInt64) -> PoolWork.Delivery {
    let delivery = work.run(Result { () throws(PostgresError) in try open(generation) })
    connection?.rollback()
    return delivery
  }

  /// Closes a connection of an earlier generation.
  func renew(_ generation: UInt64) {
    if self.generation != generation { close() }
  }

  func close() {
    connection?.close()
    connection = nil
  }

  private func open(_ generation: UInt64) throws(PostgresError) -> PostgresConnection {
    renew(generation)
    if let connection, connection.isOpen, timeline?.isCurrent(connection.session.timeline) ?? true,
      connection.isAlive()
    {
      return connection
    }
    close()
    let connection = try PostgresConnection(address, settings: settings, timeline: timeline)
    connection.generation = generation
    self.connection = connection
    self.generation = generation
    return connection
  }
}
