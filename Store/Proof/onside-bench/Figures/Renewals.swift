import ArgumentParser
import Foundation
import OnsideStore
import StoreTestSupport

/// Subscriptions that are due all at once, a minute's share of a month's, with purchases beside them.
struct Renewals: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Renewals that are due at once, beside purchases.")
  static let minute = 60.0
  static let p99Bar = 50.0

  @OptionGroup var places: Places
  @Option(help: "Subscriptions in the database.") var subscriptions = 1_000_000
  @Option(help: "How many are due at once: of 100,000 in an hour, a minute's.") var due = 1_667
  @Option(help: "How often.") var rounds = 5
  @Option(help: "Purchases a second beside them.") var rate = 100.0
  /// Less than the 15 seconds after which the store closes a connection that has sent nothing yet.
  @Option(help: "How long the purchases of one round go on, in seconds: less than 15.") var seconds = 12.0
  @Option(help: "Accounts that buy.") var accounts = 32
  @Flag(help: "On PostgreSQL, in place of SQLite.") var postgres = false

  func run() async throws {
    let met = try await places.withFolder("renewals") { place in
      var place = place
      let server =
        postgres ? try await PostgresServer(configuration: "\(PostgresPurchases.memory)\nautovacuum_naptime = 5s") : nil
      if let server { place.database = server.url(try await server.makeDatabase()) }
      Output.note("Writing \(Double(subscriptions).grouped) subscriptions …")
      let store = try await SubscribedStore.open(place, subscriptions: subscriptions)
      let result: Result
      do {
        let tokens = try await Accounts.logIn(Accounts.phones(accounts), at: store.server)
        result = try await measure(store, with: try await PurchaseRequests(place, accounts: tokens))
      } catch {
        await store.server.stop()
        throw error
      }
      await store.server.stop()
      let paid = try await store.renewals()
      guard paid == rounds * due else {
        throw BenchFailure("expected \(rounds * due) paid renewals, got \(paid)")
      }
      return report(result)
    }
    guard met else { throw ExitCode.failure }
  }

  private struct Result {
    /// Seconds until all that was due was charged.
    var took: [Double] = []
    /// The p99 of the slowest request of a purchase in milliseconds; ours: beside renewals, the peer: alone.
    var p99 = Pairs()
  }

  private func measure(_ store: SubscribedStore, with requests: PurchaseRequests) async throws -> Result {
    _ = try await slowest(store, requests)
    var result = Result()
    for _ in 0..<rounds {
      let alone = try await slowest(store, requests)
      async let took = store.renew(due)
      let beside = try await slowest(store, requests)
      result.took.append(try await took)
      result.p99.add(ours: beside, peer: alone)
    }
    return result
  }

  /// Buys at the rate; the p99 of the slowest request.
  private func slowest(_ store: SubscribedStore, _ requests: PurchaseRequests) async throws -> Double {
    let load = Load(sequences: try requests.make(Int(rate * seconds * 1.1)), seconds: seconds, rate: rate)
    let report = try await load.run(port: store.server.port, connections: 256)
    guard report.refused + report.dropped == 0 else {
      throw BenchFailure("expected every purchase to be taken, \(report.refused + report.dropped) were not")
    }
    return PurchaseRequests.kinds.indices.map { report.latencies[$0].milliseconds(at: 0.99) }.max() ?? .nan
  }

  private func report(_ result: Result) -> Bool {
    Output.title(
      "\(Double(due).grouped) renewals due at once, among \(Double(subscriptions).grouped) subscriptions on "
        + "\(postgres ? "PostgreSQL" : "SQLite"), \(Int(rate)) purchases a second, \(rounds) rounds")
    Output.table(
      ["", "seconds until charged", "p99 of a purchase's slowest request, ms"],
      rows: [
        ["with renewals", result.took.spread { $0.text(1) }, result.p99.ours.spread { $0.text(1) }],
        ["without", "", result.p99.peers.spread { $0.text(1) }],
      ])
    let isInTime = Output.verdict(
      "\(result.took.median.text(1)) s until charged; the bar is \(Self.minute.text(0))",
      met: result.took.median <= Self.minute)
    let p99 = result.p99.ours.median
    return Output.verdict(
      "p99 of a purchase beside them \(p99.text(1)) ms; the bar is \(Self.p99Bar.text(0))", met: p99 <= Self.p99Bar)
      && isInTime
  }
}
