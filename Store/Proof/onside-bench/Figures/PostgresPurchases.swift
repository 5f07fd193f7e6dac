import ArgumentParser
import Foundation
import OnsideAPI
import OnsideStore
import StoreBase
import StoreTestSupport

/// Purchases through HTTP on PostgreSQL, by one store process and by two, against pgbench with the store's statements.
struct PostgresPurchases: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "postgres", abstract: "Purchases through HTTP on PostgreSQL.")
  static let bar = 0.7
  static let p99Bar = 40.0
  /// Memory as a server of this size would have it.
  static let memory = "shared_buffers = 512MB\nmax_wal_size = 4GB"

  @OptionGroup var places: Places
  @Option(help: "How many rounds, each of one process, two processes and pgbench.") var rounds = 7
  @Option(help: "Purchases in each measurement.") var purchases = 5_000
  @Option(help: "Connections.") var connections = 64
  @Option(help: "Accounts that buy.") var accounts = 32

  func run() async throws {
    let met = try await places.withFolder("postgres") { folder in
      let server = try await PostgresServer(
        configuration: "\(Self.memory)\n\(StatementLog.configuration)")
      let name = try await server.makeDatabase()
      var place = folder
      place.database = server.url(name)
      let bought = try await recordPurchase(place, name: name)
      let peer = try await peer(place, url: server.url(try await server.makeDatabase(from: name)), bought: bought)
      let stores = [try await ServerProcess.store(place), try await ServerProcess.store(place)]
      let result = try await measure(stores, with: bought.requests, against: peer)
      for store in stores { await store.stop() }
      return report(result)
    }
    guard met else { throw ExitCode.failure }
  }

  // MARK: The peer

  /// The ids of a purchase.
  private struct PurchaseIDs {
    let order, payment, event, account: String
  }

  /// A purchase and the statements that it took.
  private struct Bought {
    let log: StatementLog
    let ids: PurchaseIDs
    let requests: PurchaseRequests
  }

  /// Buys with the server logging every statement.
  private func recordPurchase(_ place: Workplace, name: String) async throws -> Bought {
    try await ExampleShop.open(place)
    try await execute("ALTER DATABASE \(name) SET log_statement = 'all'", in: place)
    let store = try await ServerProcess.store(place)
    let tokens = try await Accounts.logIn(Accounts.phones(accounts), at: store)
    let requests = try await PurchaseRequests(place, accounts: tokens)
    // The second purchase of an account finds everything in the store's memory.
    for _ in 0..<2 { _ = try await Load(sequences: requests.make(1)).run(port: store.port, connections: 1) }
    await store.stop()
    try await execute("ALTER DATABASE \(name) RESET log_statement", in: place)
    let ids = try await newestPurchase(in: place)
    let log = try StatementLog(try await logFile(in: place), database: name).transactions(of: ids.order)
    guard log.entries.count >= 9 else { throw BenchFailure("expected a purchase's statements in the server's log") }
    return Bought(log: log, ids: ids, requests: requests)
  }

  private func newestPurchase(in place: Workplace) async throws -> PurchaseIDs {
    try await StoreDatabase.withCore(place) { core in
      try await core.dependencies.database.read { connection in
        let row = try connection.row(
          """
          SELECT id, payment_id, account_id,
            (SELECT id FROM provider_events ORDER BY received_at DESC, id DESC LIMIT 1) AS event
          FROM orders ORDER BY created_at DESC LIMIT 1
          """)
        guard let row else { throw BenchFailure("expected an order in the database") }
        return PurchaseIDs(
          order: try row.text("id"), payment: try row.text("payment_id"), event: try row.text("event"),
          account: try row.text("account_id"))
      }
    }
  }

  private func logFile(in place: Workplace) async throws -> URL {
    let folder = try await StoreDatabase.withCore(place) { core in
      try await core.dependencies.database.read {
        try $0.row("SELECT setting::text AS folder FROM pg_settings WHERE name = 'data_directory'")?.text("folder")
      }
    }
    return URL(filePath: folder ?? "").appending(path: "log/statements.json")
  }

  private func execute(_ sql: String, in place: Workplace) async throws {
    try await StoreDatabase.withCore(place) { core in
      _ = try await core.dependencies.database.write { try $0.execute(sql) }
    }
  }

  private func peer(_ place: Workplace, url: String, bought: Bought) async throws -> PgbenchPeer {
    let ids = bought.ids
    let peer = try await PgbenchPeer(
      place, url: url, log: bought.log, ids: [ids.order, ids.payment, ids.event], account: ids.account,
      clients: connections, accounts: accounts)
    try await peer.makeAccounts()
    return peer
  }

  // MARK: The measurement

  private struct Result {
    /// One process and pgbench; two processes and one.
    var rates = Pairs()
    var two = Pairs()
    var latencies: [[Latencies]] = []
    var cpu: [Double] = []
  }

  private func measure(
    _ stores: [ServerProcess], with requests: PurchaseRequests, against peer: PgbenchPeer
  ) async throws -> Result {
    _ = try await buy(1_000, at: stores, requests)
    _ = try await peer.run(1_000, round: 0)
    var result = Result()
    for round in 1...rounds {
      let before = try ProcessStatus(stores[0].id).cpuSeconds()
      let one = try await buy(purchases, at: [stores[0]], requests)
      result.cpu.append((try ProcessStatus(stores[0].id).cpuSeconds() - before) / Double(purchases) * 1e6)
      let rate = try await peer.run(purchases, round: round)
      let both = try await buy(purchases, at: stores, requests)
      result.rates.add(ours: Double(purchases) / one.seconds, peer: rate)
      result.two.add(ours: Double(purchases) / both.seconds, peer: Double(purchases) / one.seconds)
      result.latencies.append(one.latencies)
    }
    return result
  }

  /// Buys at one store or several at the same time, which share connections and purchases.
  private func buy(
    _ count: Int, at stores: [ServerProcess], _ requests: PurchaseRequests
  ) async throws -> (seconds: Double, latencies: [Latencies]) {
    let loads = try stores.map { store in
      (store.port, Load(sequences: try requests.make(count / stores.count)))
    }
    let share = connections / stores.count
    let reports = try await withThrowingTaskGroup(of: Load.Report.self) { group in
      for (port, load) in loads { group.addTask { try await load.run(port: port, connections: share) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    return (reports.map(\.seconds).max() ?? .nan, reports.first?.latencies ?? [])
  }

  // MARK: The report

  private func report(_ result: Result) -> Bool {
    Output.title(
      "Purchases through HTTP on PostgreSQL, \(connections) connections, \(rounds) rounds of \(purchases) purchases")
    Output.table(
      ["", "purchases/s"],
      rows: [
        ["one store process", result.rates.ours.spread(\.grouped)],
        ["pgbench, the same statements", result.rates.peers.spread(\.grouped)],
        ["ratio", result.rates.ratios.spread { $0.text() }],
        ["two store processes", result.two.ours.spread(\.grouped)],
        ["two to one", result.two.ratios.spread { $0.text() }],
      ])
    print("")
    let p99 = Output.latencies(result.latencies)
    print("\nThe store used \(result.cpu.median.text(0)) µs of processor time for a purchase.")
    return verdict(result, p99: p99)
  }

  private func verdict(_ result: Result, p99: Double) -> Bool {
    let (ratio, two) = (result.rates.ratios.median, result.two.ratios.median)
    let verdicts = [
      Output.verdict("\(ratio.text()) of pgbench; the bar is \(Self.bar)", met: ratio >= Self.bar),
      Output.verdict(
        "p99 of the slowest request \(p99.text(1)) ms; the bar is \(Self.p99Bar.text(0))", met: p99 <= Self.p99Bar),
      Output.verdict("two processes: \(two.text()) of one; the bar is 1", met: two >= 1),
    ]
    return verdicts.allSatisfy(\.self)
  }
}
