import ArgumentParser
import AsyncHTTPClient
import Foundation
import LoadLoop
import NIOCore
import NIOHTTP1
import OnsideAPI

/// The store's resident memory, idle and with long polls waiting, beside a bare Hummingbird's.
struct MemoryFigure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory", abstract: "The store's memory, idle and with polls waiting.")
  static let idleBar = 60.0
  static let pollsBar = 120.0

  @OptionGroup var places: Places
  @Option(help: "How many pairs.") var pairs = 5
  @Option(help: "How many polls wait.") var polls = 1_000
  @Option(help: "Seconds until a process counts as at rest.") var rest = 3.0

  func run() async throws {
    let met = try await places.withFolder("memory") { place in
      try await ExampleShop.open(place)
      var result = Result()
      for _ in 0..<pairs {
        let ours = try await measureStore(place)
        let peer = try await measurePeer(place)
        result.idle.add(ours: ours.idle, peer: peer.idle)
        result.waiting.add(ours: ours.waiting, peer: peer.waiting)
      }
      return report(result)
    }
    guard met else { throw ExitCode.failure }
  }

  private struct Result {
    var idle = Pairs()
    var waiting = Pairs()
  }

  private func measureStore(_ place: Workplace) async throws -> (idle: Double, waiting: Double) {
    let store = try await ServerProcess.store(place)
    try await Platform.wait(rest)
    let idle = try ProcessStatus(store.id).residentMegabytes()
    let token = try await Accounts.logIn(Accounts.phones(1), at: store)[0].accessToken
    let cursor = PercentEncoding.encode(try await cursor(at: store, token))
    let poll = HTTPText.get("\(Route.sync.path)?cursor=\(cursor)&wait=30", headers: ["Authorization: Bearer \(token)"])
    let waiting = try await hold(poll, at: store)
    await store.stop()
    return (idle, waiting)
  }

  private func measurePeer(_ place: Workplace) async throws -> (idle: Double, waiting: Double) {
    let peer = try await ServerProcess.bare(["--waits"], in: place)
    try await Platform.wait(rest)
    let idle = try ProcessStatus(peer.id).residentMegabytes()
    let waiting = try await hold(HTTPText.get("/poll", headers: []), at: peer)
    await peer.stop()
    return (idle, waiting)
  }

  private func cursor(at store: ServerProcess, _ token: String) async throws -> String {
    var request = HTTPClientRequest(url: "\(try store.address)\(Route.sync.path)")
    request.headers.add(name: "Authorization", value: "Bearer \(token)")
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
    let body = try await response.body.collect(upTo: 1 << 20)
    return try WireCoding.decoder().decode(SyncMessage.self, from: Data(body.readableBytesView)).cursor
  }

  /// Reads the server's memory while requests wait, each on its own connection.
  private func hold(_ request: [UInt8], at server: ServerProcess) async throws -> Double {
    let requests = FlatRequests(repeatElement(Load.Request(bytes: request), count: polls))
    var sockets = [Int32](repeating: -1, count: polls)
    defer { for socket in sockets where socket >= 0 { close(socket) } }
    let error = load_hold(server.port, UInt32(polls), requests.pointer, &sockets)
    guard error == 0 else { throw BenchFailure("\(polls) connections: \(String(cString: strerror(error)))") }
    try await Platform.wait(rest)
    let answered = load_readable(sockets, UInt32(polls))
    guard answered == 0 else { throw BenchFailure("\(answered) of \(polls) polls did not wait") }
    return try ProcessStatus(server.id).residentMegabytes()
  }

  private func report(_ result: Result) -> Bool {
    Output.title("Resident memory in MB, \(pairs) pairs of new processes")
    Output.table(
      ["", "idle", "\(Double(polls).grouped) long polls waiting"],
      rows: [
        ["store", result.idle.ours.spread { $0.text(1) }, result.waiting.ours.spread { $0.text(1) }],
        ["bare Hummingbird", result.idle.peers.spread { $0.text(1) }, result.waiting.peers.spread { $0.text(1) }],
        ["ratio", result.idle.ratios.spread { $0.text() }, result.waiting.ratios.spread { $0.text() }],
      ])
    let (idle, waiting) = (result.idle.ours.median, result.waiting.ours.median)
    let isSmall = Output.verdict(
      "idle \(idle.text(1)) MB; the bar is \(Self.idleBar.text(0)) MB", met: idle < Self.idleBar)
    return Output.verdict(
      "with \(Double(polls).grouped) polls \(waiting.text(1)) MB; the bar is \(Self.pollsBar.text(0)) MB",
      met: waiting < Self.pollsBar) && isSmall
  }
}
