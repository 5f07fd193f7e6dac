import Foundation

/// A server beside the measurement: the store as an operator runs it, or a peer.
actor ServerProcess {
  nonisolated let port: UInt16
  nonisolated let id: Int32
  private let process: BenchProcess
  private let isStore: Bool
  private var codes: [String: String] = [:]
  private var waiting: [String: CheckedContinuation<String, Never>] = [:]

  private init(_ process: BenchProcess, port: UInt16, isStore: Bool) {
    self.process = process
    self.isStore = isStore
    self.port = port
    id = process.id
  }

  nonisolated var address: URL {
    get throws {
      guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw BenchFailure("no address for \(port)") }
      return url
    }
  }

  /// The store, from the release build, with request limits that a measurement does not reach.
  static func store(_ place: Workplace) async throws -> ServerProcess {
    try await start(
      place.onside, arguments: ["serve", "--port", "0", "--database", place.database], in: place,
      environment: [
        "ONSIDE_LIMITS_CLIENT_RATE": "1000000", "ONSIDE_LIMITS_CLIENT_BURST": "1000000",
        "ONSIDE_LIMITS_ACCOUNT_RATE": "1000000", "ONSIDE_LIMITS_ACCOUNT_BURST": "1000000",
        "ONSIDE_LIMITS_WAITING_POLLS_PER_ACCOUNT": "1000", "ONSIDE_LIMITS_UNPAID_ORDERS_PER_ACCOUNT": "1000000",
      ])
  }

  /// A bare Hummingbird that answers with what a file holds.
  static func bare(_ arguments: [String], in place: Workplace) async throws -> ServerProcess {
    try await start(place.bench, arguments: ["bare-peer"] + arguments, in: place)
  }

  /// The C program that serves tries at enrolments.
  static func vaultPeer(_ arguments: [String], in place: Workplace) async throws -> ServerProcess {
    try await start(place.vaultPeer, arguments: arguments, in: place)
  }

  /// Starts a server and waits until it says where it listens.
  private static func start(
    _ program: URL, arguments: [String], in place: Workplace, environment: [String: String] = [:]
  ) async throws -> ServerProcess {
    let process = try BenchProcess(program, arguments: arguments, in: place.folder, environment: environment)
    for await line in process.lines {
      guard let match = line.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/), let port = UInt16(match.1) else {
        continue
      }
      let server = ServerProcess(process, port: port, isStore: program == place.onside)
      Task { await server.listen() }
      return server
    }
    throw BenchFailure("\(program.lastPathComponent) \(arguments.joined(separator: " ")) did not start")
  }

  /// The login code that was sent to a phone number.
  func code(for phone: String) async -> String {
    if let code = codes.removeValue(forKey: phone) { return code }
    return await withCheckedContinuation { waiting[phone] = $0 }
  }

  /// Stops the store gracefully, as an operator does; kills a peer, which would wait for its polls.
  func stop() { if isStore { process.stop() } else { process.end() } }

  private func listen() async {
    for await line in process.lines {
      guard let match = line.firstMatch(of: /code for (\+[0-9]+).*?([0-9]{6})/) else { continue }
      let (phone, code) = (String(match.1), String(match.2))
      if let waiter = waiting.removeValue(forKey: phone) { waiter.resume(returning: code) } else { codes[phone] = code }
    }
  }
}
