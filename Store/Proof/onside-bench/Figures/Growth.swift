import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OnsideAPI
import OnsideStore
import StoreBase
import StoreSales
import StoreTestSupport

/// Whether the store stays as fast as it was when its database grows: purchases beside a million orders and beside ten
/// thousand, and what is read by an account with thousands of orders of its own.
struct Growth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Purchases and reads in a database that has grown.")
  static let bar = 0.8
  static let readBar = 50.0

  @OptionGroup var places: Places
  @Option(help: "How many pairs.") var pairs = 7
  @Option(help: "Purchases in each measurement.") var purchases = 5_000
  @Option(help: "Connections that buy.") var connections = 64
  @Option(help: "Accounts that buy.") var accounts = 1_000
  @Option(help: "Orders in the small database.") var few = 10_000
  @Option(help: "Orders in the large database.") var many = 1_000_000
  @Option(help: "Orders of the account that reads its own.") var own = 5_000
  @Option(help: "How often it reads in each measurement.") var reads = 20
  @Flag(help: "On PostgreSQL, in place of SQLite.") var postgres = false

  func run() async throws {
    let met = try await places.withFolder("growth") { place in
      let server = postgres ? try await PostgresServer(configuration: PostgresPurchases.memory) : nil
      let (few, many) = (try await inner("few", of: place, server), try await inner("many", of: place, server))
      let small = try await open(few, purchases: self.few)
      try await check(few)
      let large = try await open(many, purchases: self.many)
      let sizes = [try await StoreDatabase.size(few), try await StoreDatabase.size(many)]
      try await check(large.server, readerHeaders: large.readerHeaders())
      let result = try await measure(small, large)
      for store in [small, large] { await store.server.stop() }
      return report(result, sizes: sizes)
    }
    guard met else { throw ExitCode.failure }
  }

  /// A folder with a database of its own.
  private func inner(_ name: String, of place: Workplace, _ server: PostgresServer?) async throws -> Workplace {
    var inner = try place.inner(name)
    if let server { inner.database = server.url(try await server.makeDatabase()) }
    return inner
  }

  private struct Result {
    /// Ours: beside many orders; the peer: beside few.
    var rates = Pairs()
    var p99 = Pairs()
    var cpu = Pairs()
    /// By kind of read, in milliseconds.
    var reads: [[Latencies]] = []
  }

  private func open(_ place: Workplace, purchases: Int) async throws -> GrownStore {
    Output.note("Writing \(Double(purchases).grouped) purchases …")
    return try await GrownStore.open(place, purchases: purchases, buyers: accounts, own: own)
  }

  private func measure(_ small: GrownStore, _ large: GrownStore) async throws -> Result {
    for store in [small, large] { _ = try await measured(store, purchases: 2_000) }
    var result = Result()
    for _ in 0..<pairs {
      let (ours, oursCPU) = try await measured(large, purchases: purchases)
      let (peer, peerCPU) = try await measured(small, purchases: purchases)
      result.rates.add(ours: Double(purchases) / ours.seconds, peer: Double(purchases) / peer.seconds)
      result.p99.add(ours: slowest(ours), peer: slowest(peer))
      result.cpu.add(ours: oursCPU, peer: peerCPU)
      result.reads.append(try await read(large).latencies)
    }
    return result
  }

  private func measured(_ store: GrownStore, purchases: Int) async throws -> (Load.Report, cpu: Double) {
    let load = Load(sequences: try store.purchases(purchases))
    let before = try ProcessStatus(store.server.id).cpuSeconds()
    let report = try await load.run(port: store.server.port, connections: connections)
    let seconds = try ProcessStatus(store.server.id).cpuSeconds() - before
    return (report, seconds / Double(purchases) * 1e6)
  }

  private func slowest(_ report: Load.Report) -> Double {
    PurchaseRequests.kinds.indices.map { report.latencies[$0].milliseconds(at: 0.99) }.max() ?? .nan
  }

  // MARK: What an account reads

  private static let kinds = ["sync of a new device", "restore", "history", "a page of 100 of the history"]
  private static let targets = [
    Route.sync.path, Route.restorable.path, Route.history.path, "\(Route.history.path)?limit=100",
  ]

  /// Reads on one connection, one after the other.
  private func read(_ store: GrownStore) async throws -> Load.Report {
    let headers = try store.readerHeaders()
    let requests = Self.targets.enumerated().map { kind, target in
      Load.Request(bytes: HTTPText.get(target, headers: headers), kind: kind)
    }
    return try await Load(sequences: Array(repeating: requests, count: reads))
      .run(port: store.server.port, connections: 1)
  }

  /// Checks that the books of what was written by SQL agree with its orders and payments.
  private func check(_ place: Workplace) async throws {
    let faults = try await StoreDatabase.withCore(place) { core in
      try await core.dependencies.database.read { try Reconciliation($0).faults() }
    }
    guard faults.isEmpty else { throw BenchFailure("the database written by SQL breaks rules: \(faults)") }
  }

  /// Checks that the account gets the answers that are measured.
  private func check(_ server: ServerProcess, readerHeaders: [String]) async throws {
    var bodies: [Data] = []
    for target in Self.targets {
      var request = HTTPClientRequest(url: "\(try server.address)\(target)")
      for header in readerHeaders {
        let parts = header.split(separator: ": ", maxSplits: 1).map(String.init)
        request.headers.add(name: parts[0], value: parts[1])
      }
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
      bodies.append(Data(try await response.body.collect(upTo: 1 << 26).readableBytesView))
    }
    let decoder = WireCoding.decoder()
    let counts = [
      try decoder.decode(SyncMessage.self, from: bodies[0]).orders.count,
      try decoder.decode(RestorableMessage.self, from: bodies[1]).orders.count,
      try Self.purchases(inHistory: bodies[2]), try Self.purchases(inHistory: bodies[3]),
    ]
    let expected = [GrownStore.kept + GrownStore.unfinished, GrownStore.kept, own, min(own, 100)]
    guard counts == expected else {
      throw BenchFailure("expected answers with \(expected) orders and purchases, got \(counts)")
    }
  }

  private static func purchases(inHistory jws: Data) throws -> Int {
    let parts = String(decoding: jws, as: UTF8.self).split(separator: ".")
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
      let history = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any],
      let purchases = history["transactions"] as? [Any]
    else { throw BenchFailure("expected a signed history") }
    return purchases.count
  }

  // MARK: The report

  private func report(_ result: Result, sizes: [Int]) -> Bool {
    Output.title(
      "A database of \(postgres ? "PostgreSQL" : "SQLite") that has grown, \(connections) connections, \(pairs) pairs "
        + "of \(purchases) purchases by \(accounts) accounts")
    Output.table(
      ["", "purchases/s", "p99 of the slowest request, ms", "server cpu µs/purchase", "MB at the start"],
      rows: [
        [
          "beside \(Double(many).grouped) orders", result.rates.ours.spread(\.grouped),
          result.p99.ours.spread { $0.text() }, result.cpu.ours.spread { $0.text(0) }, megabytes(sizes[1]),
        ],
        [
          "beside \(Double(few).grouped) orders", result.rates.peers.spread(\.grouped),
          result.p99.peers.spread { $0.text() }, result.cpu.peers.spread { $0.text(0) }, megabytes(sizes[0]),
        ],
        [
          "ratio", result.rates.ratios.spread { $0.text() }, result.p99.ratios.spread { $0.text() },
          result.cpu.ratios.spread { $0.text() }, "",
        ],
      ])
    print("")
    let medians = Self.kinds.indices.map { kind in result.reads.map { $0[kind].milliseconds(at: 0.5) } }
    Output.table(
      ["an account with \(Double(own).grouped) orders", "p50 ms", "slowest of \(reads), ms"],
      rows: Self.kinds.indices.map { kind in
        let slowest = result.reads.map { $0[kind].milliseconds(at: 1) }
        return [Self.kinds[kind], medians[kind].spread { $0.text(1) }, slowest.spread { $0.text(1) }]
      })
    return verdict(result.rates.ratios.median, reads: medians.map(\.median))
  }

  private func verdict(_ ratio: Double, reads: [Double]) -> Bool {
    var isMet = Output.verdict(
      "\(ratio.text()) of the rate beside few orders; the bar is \(Self.bar)", met: ratio >= Self.bar)
    for (kind, milliseconds) in zip(Self.kinds, reads) {
      let isQuick = Output.verdict(
        "\(kind): \(milliseconds.text(1)) ms; the bar is \(Self.readBar.text(0))", met: milliseconds < Self.readBar)
      isMet = isMet && isQuick
    }
    return isMet
  }

  private func megabytes(_ bytes: Int) -> String { (Double(bytes) / 1e6).text(0) }
}
