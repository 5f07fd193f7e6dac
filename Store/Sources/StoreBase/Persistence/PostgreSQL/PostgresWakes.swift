import PostgresClient

/// Wakes by NOTIFY and LISTEN, in a session of their own: inside the transaction that writes, NOTIFY would take a lock
/// of all databases until the commit, and switch group commit off. The accounts of some milliseconds share a
/// notification. While the session is there, no other program changes the tables.
package final class PostgresWakes: WakeRelay {
  private static let channel = "onside_wakes"

  private let pending: PendingWakes
  private let listener: PostgresListener

  /// - Parameter timeline: the one of the connections that read and write.
  init(_ address: PostgresAddress, timeline: PostgresTimeline) {
    pending = PendingWakes()
    listener = PostgresListener(
      address, channel: Self.channel, opening: PostgresSQLConnection.use, timeline: timeline, client: pending)
  }

  package func tell(account: String) {
    if pending.add(account) { listener.start() }
  }

  package func listen(_ observer: @escaping @Sendable (RelayedWake) -> Void) {
    pending.observe(observer)
    listener.start()
  }

  func shutDown() { listener.shutDown() }

  func close() async { await listener.close() }
}
