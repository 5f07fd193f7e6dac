import CPostgres
import Glibc

extension LibPQSession {
  /// Opens the first host that will do, in their order. When none does, the error is the most telling one: a wrong
  /// password on one host is not hidden by a standby behind it.
  static func connect(
    _ address: PostgresAddress, settings: PostgresSettings, timeline: PostgresTimeline?
  ) throws(PostgresError) -> LibPQSession {
    var failures: [PostgresError] = []
    for host in try address.hosts() {
      do throws(PostgresError) {
        for endpoint in try HostResolver.endpoints(of: host) {
          do throws(PostgresError) {
            return try open(endpoint, of: address, settings: settings, timeline: timeline)
          } catch { failures.append(error) }
        }
      } catch { failures.append(error) }
    }
    throw summary(of: failures)
  }

  private static func summary(of failures: [PostgresError]) -> PostgresError {
    let telling: [PostgresError.Kind] = [.authentication, .invalidAddress, .missingDatabase, .serverFull, .readOnly]
    let first = telling.lazy.compactMap { kind in failures.first { $0.kind == kind } }.first ?? failures.first
    return PostgresError(
      first?.kind ?? .unreachable, sqlState: first?.sqlState,
      message: failures.map(\.message).joined(separator: "; "))
  }

  private static func open(
    _ host: PostgresAddress.Host, of address: PostgresAddress, settings: PostgresSettings, timeline: PostgresTimeline?
  ) throws(PostgresError) -> LibPQSession {
    guard let connection = start(address.parameters(for: host, settings: settings)) else {
      throw PostgresError(.unreachable, message: "libpq has no memory for a connection")
    }
    let notices = NoticeLog()
    let session = LibPQSession(connection, notices: notices)
    notices.listen(to: connection)
    // The only way to the code of a refusal is the text of the message.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    let deadline = ContinuousClock.now + settings.connectTimeout
    try finish(connection, host: host, isOneOfSeveral: try address.hosts().count > 1, until: deadline)
    guard PQserverVersion(connection) >= 140_000 else {
      throw PostgresError(.invalidAddress, message: "expected PostgreSQL 14 or later at \(host)")
    }
    let signs = ["in_hot_standby", "default_transaction_read_only"]
    let refusesWrites = signs.contains { (name: String) in
      PQparameterStatus(connection, name).map { String(cString: $0) } == "on"
    }
    guard address.allowsReadOnly || !refusesWrites else {
      throw PostgresError(.readOnly, message: "the server at \(host) is read-only")
    }
    PQsetnonblocking(connection, 1)
    if let timeline { try session.meet(timeline, at: host, until: deadline) }
    return session
  }

  private static func start(_ parameters: [String: String]) -> OpaquePointer? {
    var names: [UnsafeMutablePointer<CChar>?] = []
    var texts: [UnsafeMutablePointer<CChar>?] = []
    for (name, text) in parameters {
      names.append(strdup(name))
      texts.append(strdup(text))
    }
    defer { (names + texts).forEach { free($0) } }
    return PQconnectStartParams(names.forC, texts.forC, 0)
  }

  private static func finish(
    _ connection: OpaquePointer, host: PostgresAddress.Host, isOneOfSeveral: Bool,
    until deadline: ContinuousClock.Instant
  ) throws(PostgresError) {
    guard PQstatus(connection) != CONNECTION_BAD else { throw refusal(of: connection, host: host) }
    var state = PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      guard state != PGRES_POLLING_FAILED else { throw refusal(of: connection, host: host) }
      let events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
      guard Socket.poll(PQsocket(connection), for: events, until: deadline) else {
        throw PostgresError(.unreachable, message: "the server at \(host) did not accept the connection in time")
      }
      try requireMode(of: connection, isOneOfSeveral: isOneOfSeveral)
      state = PQconnectPoll(connection)
    }
  }

  /// Throws before anything is sent if `sslmode` is `prefer`, libpq's default, or `allow`, and the server is on another
  /// machine: an attacker in between could turn TLS off. An address of several hosts is treated as remote, because a
  /// failover may reach another machine.
  private static func requireMode(of connection: OpaquePointer, isOneOfSeveral: Bool) throws(PostgresError) {
    guard ["prefer", "allow"].contains(LibPQ.options(of: connection)["sslmode"] ?? "prefer"),
      let ends = SocketEnds(PQsocket(connection)), isOneOfSeveral || ends.isOtherMachine
    else { return }
    throw PostgresError(
      .invalidAddress,
      message:
        "expected an explicit sslmode for \(ends.peer), which is "
        + (ends.isOtherMachine ? "another machine" : "one of several hosts") + ": add ?sslmode=verify-full to the "
        + "database's address, or require, or disable on a private network")
  }

  private static func refusal(of connection: OpaquePointer, host: PostgresAddress.Host) -> PostgresError {
    let message = String(cString: PQerrorMessage(connection)).firstLine
    guard let sqlState = sqlState(in: message) else {
      let kind: PostgresError.Kind = PQconnectionNeedsPassword(connection) == 1 ? .authentication : .unreachable
      return PostgresError(kind, message: message.isEmpty ? "the server at \(host) did not answer" : message)
    }
    let kind = PostgresError.Kind(sqlState: sqlState, routine: nil)
    return PostgresError(kind == .connectionLost ? .unreachable : kind, sqlState: sqlState, message: message)
  }

  /// The code in `… failed: FATAL:  28P01: password authentication failed …`.
  private static func sqlState(in message: String) -> String? {
    let words = message.split(separator: " ", omittingEmptySubsequences: false)
    for (before, word) in zip(words, words.dropFirst()) where before.isEmpty && word.hasSuffix(":") {
      let code = word.dropLast()
      if code.count == 5, code.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isUppercase) }) { return String(code) }
    }
    return nil
  }
}

extension [UnsafeMutablePointer<CChar>?] {
  /// With the nil that ends a list in C.
  fileprivate var forC: [UnsafePointer<CChar>?] { map { UnsafePointer($0) } + [nil] }
}
