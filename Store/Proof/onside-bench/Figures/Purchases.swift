import ArgumentParser
import Foundation
import OnsideAPI

/// Purchases through HTTP on SQLite, against a C program that writes the same rows, one flushed transaction for each of
/// the three steps of a purchase.
struct Purchases: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Purchases through HTTP on SQLite.")
  static let bar = 2.0
  static let p99Bar = 20.0

  @OptionGroup var places: Places
  @Option(help: "How many pairs.") var pairs = 7
  @Option(help: "Purchases in each measurement.") var purchases = 15_000
  @Option(help: "Connections.") var connections = 64
  @Option(help: "Accounts that buy.") var accounts = 32

  func run() async throws {
    let met = try await places.withFolder("purchases") { place in
      try await ExampleShop.open(place)
      let store = try await ServerProcess.store(place)
      let tokens = try await Accounts.logIn(Accounts.phones(accounts), at: store)
      let requests = try await PurchaseRequests(place, accounts: tokens)
      // One purchase, so that the peer finds the tables and the product as the store has them.
      _ = try await Load(sequences: requests.make(1)).run(port: store.port, connections: 1)
      let peer = try await PurchasesPeer(place)
      let result = try await measure(store, with: requests, against: peer)
      await store.stop()
      let met = report(result)
      try check(place)
      return met
    }
    guard met else { throw ExitCode.failure }
  }

  private struct Result {
    var rates = Pairs()
    var bytes = Pairs()
    var latencies: [[Latencies]] = []
    var loadShare: [Double] = []
    var cpu: [Double] = []
  }

  private func measure(
    _ store: ServerProcess, with requests: PurchaseRequests, against peer: PurchasesPeer
  ) async throws -> Result {
    _ = try await Load(sequences: requests.make(2_000)).run(port: store.port, connections: connections)
    _ = try await peer.run(2_000)
    var result = Result()
    for _ in 0..<pairs {
      let load = Load(sequences: try requests.make(purchases))
      let before = try ProcessStatus(store.id).cpuSeconds()
      let ours = try await load.run(port: store.port, connections: connections)
      result.cpu.append((try ProcessStatus(store.id).cpuSeconds() - before) / Double(purchases) * 1e6)
      result.rates.add(ours: Double(purchases) / ours.seconds, peer: try await peer.run(purchases))
      result.latencies.append(ours.latencies)
      result.loadShare.append(ours.cpuSeconds / ours.seconds)
    }
    return result
  }

  /// Checks that both databases have grown by the same size; else the peer does not write the store's rows.
  private func check(_ place: Workplace) throws {
    let ours = Double(try StoreDatabase.size(place.file(ExampleShop.database)))
    let peer = Double(try StoreDatabase.size(place.file(PurchasesPeer.database)))
    let ratio = ours / peer
    print("\nDatabases at the end: store \(ours.grouped) bytes, peer \(peer.grouped) bytes.")
    guard (0.8...1.25).contains(ratio) else {
      throw BenchFailure("the peer's rows have another size than the store's: Peers/purchases.c is out of date")
    }
  }

  private func report(_ result: Result) -> Bool {
    Output.title(
      "Purchases through HTTP on SQLite, \(connections) connections, \(pairs) pairs of \(purchases) purchases")
    Output.table(
      ["", "purchases/s"],
      rows: [
        ["store", result.rates.ours.spread(\.grouped)],
        ["C, one flushed transaction for each step", result.rates.peers.spread(\.grouped)],
        ["ratio", result.rates.ratios.spread { $0.text() }],
      ])
    print("")
    let p99 = Output.latencies(result.latencies)
    print(
      "\nThe load's own thread used \((result.loadShare.median * 100).text(0)) % of one core, the store",
      "\(result.cpu.median.text(0)) µs of processor time for a purchase.")
    let ratio = result.rates.ratios.median
    let isFast = Output.verdict("\(ratio.text()) of raw C; the bar is \(Self.bar.text(0))", met: ratio >= Self.bar)
    return Output.verdict(
      "p99 of the slowest request \(p99.text(1)) ms; the bar is \(Self.p99Bar.text(0))", met: p99 <= Self.p99Bar)
      && isFast
  }
}
