import Synchronization

/// The newest timeline of a cluster that this process has seen: PostgreSQL counts up whenever a standby is promoted.
///
/// A primary that was frozen or cut off, and comes back, takes itself for the primary until it is demoted. It cannot
/// commit what a standby has to confirm, but it answers reads, with data that are older than what the caller has
/// written elsewhere. Connections that share a timeline are not opened to such a server, nor used any longer.
///
/// A server that does not say its timeline (a standby, a service of another make) is taken as it is.
public final class PostgresTimeline: Sendable {
  private let newest = Mutex<UInt32>(0)

  /// Nothing is seen yet.
  public init() {}

  /// Whether a connection's server is not known to have been replaced.
  func isCurrent(_ timeline: UInt32?) -> Bool {
    timeline.map { timeline in newest.withLock { timeline >= $0 } } ?? true
  }

  /// Takes note of the timeline of a server that was just connected to.
  func meet(_ timeline: UInt32?, at host: PostgresAddress.Host) throws(PostgresError) {
    let known = newest.withLock { newest in
      newest = max(newest, timeline ?? 0)
      return newest
    }
    guard let timeline, timeline < known else { return }
    throw PostgresError(
      .readOnly,
      message: """
        expected the timeline \(known) or a later one at \(host), but it is \(timeline): another server has taken its \
        place. If you went back to it on purpose, restart this process
        """)
  }
}

extension LibPQSession {
  /// The first eight hexadecimal digits of the name of the log's current file. The file of control data would name the
  /// timeline only after the checkpoint that follows a promotion.
  private static let timelineQuery = """
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END
    """

  /// The server's timeline; nil when it does not say.
  func readTimeline(until deadline: ContinuousClock.Instant) throws(PostgresError) -> UInt32? {
    let answer = try exchange(until: deadline) { LibPQ.send($0, script: Self.timelineQuery) }
    guard answer.failure == nil, case .text(let digits)? = try answer.read().rows.first?.first else { return nil }
    return UInt32(digits, radix: 16)
  }
}
