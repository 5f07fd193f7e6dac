import CPostgres
import Glibc

/// One connection of libpq, used by one thread. All waiting is done here, in `poll`, up to a deadline: libpq's own
/// blocking calls would wait for as long as a frozen server is frozen.
final class LibPQSession {
  /// Why nothing came back. The connection is closed.
  enum Silence: Error {
    case lost(sqlState: String?, message: String)
    case deadline
  }

  private var connection: OpaquePointer?
  private let notices: NoticeLog
  /// The timeline of the server, if it was asked and has said.
  private(set) var timeline: UInt32?

  /// Takes over a connection that is open.
  init(_ connection: OpaquePointer, notices: NoticeLog) {
    self.connection = connection
    self.notices = notices
  }

  deinit { close() }

  /// Whether it can be used.
  var isOpen: Bool { connection != nil }

  /// Whether a transaction is open.
  var isInTransaction: Bool { connection.map { PQtransactionStatus($0) != PQTRANS_IDLE } ?? false }

  /// Asks for the server's timeline, and refuses a server that another one has replaced.
  func meet(
    _ newest: PostgresTimeline, at host: PostgresAddress.Host, until deadline: ContinuousClock.Instant
  ) throws(PostgresError) {
    timeline = try readTimeline(until: deadline)
    try newest.meet(timeline, at: host)
  }

  /// Ends the session; a transaction in it is rolled back.
  func close() {
    if let connection { PQfinish(connection) }
    connection = nil
  }

  /// Takes in what the server has said without being asked, such as that it ends the session.
  func checkAlive() throws(Silence) {
    guard let connection else { throw .lost(sqlState: nil, message: "the connection is closed") }
    while poll(connection, for: Int16(POLLIN), until: .now) {
      guard PQconsumeInput(connection) == 1 else { throw lose() }
      // Has libpq read the message.
      _ = PQisBusy(connection)
    }
  }

  /// The server's number of this session.
  var processID: Int32 { connection.map { PQbackendPID($0) } ?? 0 }

  /// Waits until the server has said something or another descriptor can be read; returns what sessions have notified.
  func notifications(
    beside descriptor: Int32, until deadline: ContinuousClock.Instant
  ) throws(Silence) -> [PostgresNotification] {
    guard let connection else { throw .lost(sqlState: nil, message: "the connection is closed") }
    // Those that came with an answer are read already: waiting could take forever.
    if let known = Self.takeNotifications(connection) { return known }
    Socket.waitToRead([PQsocket(connection), descriptor], until: deadline)
    try checkAlive()
    return Self.takeNotifications(connection) ?? []
  }

  private static func takeNotifications(_ connection: OpaquePointer) -> [PostgresNotification]? {
    var all: [PostgresNotification] = []
    while let next = PQnotifies(connection) {
      all.append(PostgresNotification(sender: next.pointee.be_pid, payload: String(cString: next.pointee.extra)))
      PQfreemem(next)
    }
    return all.isEmpty ? nil : all
  }

  /// Sends a request and waits for its answer: the last result, or the first that is an error. The warnings that came
  /// with it are in ``warnings``.
  func answer(until deadline: ContinuousClock.Instant?, to send: (OpaquePointer) -> Int32) throws(Silence) -> Answer {
    guard let connection else { throw .lost(sqlState: nil, message: "the connection is closed") }
    notices.warnings = []
    guard send(connection) == 1 else { throw lose() }
    try flush(connection, until: deadline)
    var answer: Answer?
    while let result = try nextResult(connection, until: deadline) {
      let next = Answer(result)
      if answer?.failure == nil { answer = next }
    }
    guard let answer else { throw lose() }
    if PQstatus(connection) != CONNECTION_OK { throw lose(after: answer) }
    return answer
  }

  /// The codes of the warnings that came with the last answer.
  var warnings: [NoticeLog.Warning] { notices.warnings }

  private func flush(_ connection: OpaquePointer, until deadline: ContinuousClock.Instant?) throws(Silence) {
    while true {
      switch PQflush(connection) {
      case 0: return
      case 1: break
      default: throw lose()
      }
      // The server may wait until its own answers are read.
      guard poll(connection, for: Int16(POLLIN | POLLOUT), until: deadline) else { throw giveUp() }
      guard PQconsumeInput(connection) == 1 else { throw lose() }
    }
  }

  private func nextResult(
    _ connection: OpaquePointer, until deadline: ContinuousClock.Instant?
  ) throws(Silence) -> OpaquePointer? {
    while PQisBusy(connection) == 1 {
      guard poll(connection, for: Int16(POLLIN), until: deadline) else { throw giveUp() }
      // When the connection has ended, libpq makes a result of that.
      guard PQconsumeInput(connection) == 1 else { break }
    }
    return PQgetResult(connection)
  }

  private func poll(_ connection: OpaquePointer, for events: Int16, until deadline: ContinuousClock.Instant?) -> Bool {
    Socket.poll(PQsocket(connection), for: events, until: deadline)
  }

  private func giveUp() -> Silence {
    close()
    return .deadline
  }

  private func lose(after answer: Answer? = nil) -> Silence {
    defer { close() }
    if let failure = answer?.failure { return .lost(sqlState: failure.sqlState, message: failure.message) }
    let message = connection.map { String(cString: PQerrorMessage($0)) }?.firstLine ?? ""
    return .lost(sqlState: nil, message: message.isEmpty ? "the server closed the connection" : message)
  }
}

/// Waiting for a socket.
enum Socket {
  /// Whether one of the events came in time.
  static func poll(_ descriptor: Int32, for events: Int16, until deadline: ContinuousClock.Instant?) -> Bool {
    poll([pollfd(fd: descriptor, events: events, revents: 0)], until: deadline)
  }

  /// Returns when one of the descriptors can be read, or when the time is up.
  static func waitToRead(_ descriptors: [Int32], until deadline: ContinuousClock.Instant?) {
    _ = poll(descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }, until: deadline)
  }

  private static func poll(_ entries: [pollfd], until deadline: ContinuousClock.Instant?) -> Bool {
    var entries = entries
    while true {
      let left = deadline.map { max(0, Int32(clamping: ($0 - .now).milliseconds)) } ?? -1
      let count = Glibc.poll(&entries, nfds_t(entries.count), left)
      if count > 0 { return true }
      // Interrupted by a signal, or woken a moment before the deadline.
      if count == 0, deadline.map({ $0 <= .now }) ?? false { return false }
      if count < 0, errno != EINTR { return true }
    }
  }
}

extension String {
  /// The text up to the first line break.
  var firstLine: String { split(separator: "\n").first.map { $0.trimmed } ?? "" }
}

extension Substring {
  fileprivate var trimmed: String { String(drop { $0 == " " || $0 == "\t" }) }
}
