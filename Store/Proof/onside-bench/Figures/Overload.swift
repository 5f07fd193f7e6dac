import ArgumentParser
import Foundation

/// Purchases that come at twice the rate that the store can make: what it still sells, how soon it refuses the others,
/// and whether it is as fast as before right afterwards.
struct Overload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Purchases at twice the rate that the store sustains.")
  static let bar = 0.8
  static let refusalBar = 50.0

  @OptionGroup var places: Places
  @Option(help: "How many rounds, each of the best rate, the overload, and the rate afterwards.") var rounds = 5
  @Option(help: "Purchases in the measurements of a rate.") var purchases = 5_000
  @Option(help: "Connections in the measurements of a rate.") var connections = 64
  @Option(help: "Seconds of overload.") var seconds = 8.0
  @Option(help: "Connections that the overload may use.") var clients = 2_000
  @Option(help: "Accounts that buy.") var accounts = 32

  func run() async throws {
    let met = try await places.withFolder("overload") { place in
      try await ExampleShop.open(place)
      let store = try await ServerProcess.store(place)
      let tokens = try await Accounts.logIn(Accounts.phones(accounts), at: store)
      let result = try await measure(store, with: try await PurchaseRequests(place, accounts: tokens))
      await store.stop()
      return report(result)
    }
    guard met else { throw ExitCode.failure }
  }

  private struct Result {
    /// Completed purchases: under overload, and at the best rate before.
    var rates = Pairs()
    /// Completed purchases: right after the overload, and at the best rate before.
    var afterwards = Pairs()
    /// Milliseconds until a refusal, the slowest of a hundred.
    var refusals: [Double] = []
    /// The shares of the purchases that were refused, and that found no connection.
    var refused: [Double] = []
    var dropped: [Double] = []
  }

  private func measure(_ store: ServerProcess, with requests: PurchaseRequests) async throws -> Result {
    _ = try await best(store, requests)
    var result = Result()
    for _ in 0..<rounds {
      let best = try await best(store, requests)
      let count = Int(2 * best * seconds)
      // Made beforehand: one more than begin, so that none is played twice.
      var overload = Load(sequences: try requests.make(count + 1))
      (overload.rate, overload.seconds) = (2 * best, seconds)
      let report = try await overload.run(port: store.port, connections: clients)
      result.rates.add(ours: Double(report.completed) / report.seconds, peer: best)
      result.afterwards.add(ours: try await self.best(store, requests), peer: best)
      result.refusals.append(report.refusals.milliseconds(at: 0.99))
      result.refused.append(Double(report.refused) / Double(count))
      result.dropped.append(Double(report.dropped) / Double(count))
    }
    return result
  }

  /// Purchases a second in a closed loop.
  private func best(_ store: ServerProcess, _ requests: PurchaseRequests) async throws -> Double {
    let load = Load(sequences: try requests.make(purchases))
    return Double(purchases) / (try await load.run(port: store.port, connections: connections)).seconds
  }

  private func report(_ result: Result) -> Bool {
    Output.title("Purchases at twice the best rate, \(rounds) rounds of \(seconds.text(0)) seconds on SQLite")
    Output.table(
      ["", "result"],
      rows: [
        ["best rate, purchases/s", result.rates.peers.spread(\.grouped)],
        ["under overload, purchases/s", result.rates.ours.spread(\.grouped)],
        ["ratio", result.rates.ratios.spread { $0.text() }],
        ["right afterwards, to the best rate", result.afterwards.ratios.spread { $0.text() }],
        ["share refused", result.refused.spread { $0.text() }],
        ["share without a connection", result.dropped.spread { $0.text() }],
        ["p99 of a refusal, ms", result.refusals.spread { $0.text(1) }],
      ])
    let verdicts = [
      verdict("of the best rate under overload", result.rates.ratios.median),
      verdict("of the best rate right afterwards", result.afterwards.ratios.median),
      Output.verdict(
        "p99 of a refusal \(result.refusals.median.text(1)) ms; the bar is \(Self.refusalBar.text(0))",
        met: result.refusals.median < Self.refusalBar),
    ]
    return verdicts.allSatisfy(\.self)
  }

  private func verdict(_ text: String, _ ratio: Double) -> Bool {
    Output.verdict("\(ratio.text()) \(text); the bar is \(Self.bar)", met: ratio >= Self.bar)
  }
}
