import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OnsideAPI

/// The answer of 100 products, against a bare Hummingbird that answers with exactly the same bytes.
struct Products: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "100 products over HTTP.")
  static let bar = 0.75

  @OptionGroup var places: Places
  @Option(help: "How many pairs.") var pairs = 7
  @Option(help: "Seconds of each measurement.") var seconds = 3.0
  @Option(help: "Connections.") var connections = 64

  func run() async throws {
    let met = try await places.withFolder("products") { place in
      try await ExampleShop.open(place)
      let store = try await ServerProcess.store(place)
      let peer = try await ServerProcess.bare(try await copyAnswer(of: store, to: place), in: place)
      let result = try await measure(store, against: peer)
      await peer.stop()
      await store.stop()
      return report(result)
    }
    guard met else { throw ExitCode.failure }
  }

  private var target: String {
    let ids = ExampleShop.products.map { "id=\($0)" }.joined(separator: "&")
    return "\(Route.products.path)?\(ids)&country=\(ExampleShop.country)&language=nl,en"
  }

  private var headers: [String] { ["\(WireHeader.app): \(ExampleShop.app)"] }

  /// Keeps the store's answer in a file; gives the peer's arguments for the same bytes.
  private func copyAnswer(of store: ServerProcess, to place: Workplace) async throws -> [String] {
    var request = HTTPClientRequest(url: "\(try store.address)\(target)")
    request.headers.add(name: WireHeader.app, value: ExampleShop.app)
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
    let body = try await response.body.collect(upTo: 1 << 22)
    let message = try WireCoding.decoder().decode(ProductsMessage.self, from: Data(body.readableBytesView))
    guard message.products.count == ExampleShop.products.count else {
      throw BenchFailure("expected \(ExampleShop.products.count) products, got \(message.products.count)")
    }
    try Data(body.readableBytesView).write(to: place.file("answer.json"))
    // The server itself adds these.
    let own = ["content-length", "date", "server", "connection"]
    return ["--body", "answer.json"]
      + response.headers.filter { !own.contains($0.name.lowercased()) }.flatMap {
        ["--header", "\($0.name): \($0.value)"]
      }
  }

  private struct Result {
    var rates = Pairs()
    var p99 = Pairs()
    var cpu = Pairs()
    var loadShare: [Double] = []
  }

  private func measure(_ store: ServerProcess, against peer: ServerProcess) async throws -> Result {
    var load = Load(sequences: [[Load.Request(bytes: HTTPText.get(target, headers: headers))]])
    load.seconds = 1
    for server in [store, peer] { _ = try await load.run(port: server.port, connections: connections) }
    load.seconds = seconds
    var result = Result()
    for _ in 0..<pairs {
      let (ours, oursCPU) = try await measured(load, at: store)
      let (bare, bareCPU) = try await measured(load, at: peer)
      result.rates.add(ours: ours.perSecond, peer: bare.perSecond)
      result.p99.add(ours: ours.latencies[0].milliseconds(at: 0.99), peer: bare.latencies[0].milliseconds(at: 0.99))
      result.cpu.add(ours: oursCPU / Double(ours.answers) * 1e6, peer: bareCPU / Double(bare.answers) * 1e6)
      result.loadShare += [ours, bare].map { $0.cpuSeconds / $0.seconds }
    }
    return result
  }

  private func measured(_ load: Load, at server: ServerProcess) async throws -> (Load.Report, cpu: Double) {
    let before = try ProcessStatus(server.id).cpuSeconds()
    let report = try await load.run(port: server.port, connections: connections)
    return (report, try ProcessStatus(server.id).cpuSeconds() - before)
  }

  private func report(_ result: Result) -> Bool {
    Output.title("100 products over HTTP, \(connections) connections, \(pairs) pairs of \(seconds.text(0)) s")
    Output.table(
      ["", "answers/s", "p99 ms", "server cpu µs/answer"],
      rows: [
        [
          "store", result.rates.ours.spread(\.grouped), result.p99.ours.spread { $0.text() },
          result.cpu.ours.spread { $0.text(0) },
        ],
        [
          "bare Hummingbird, same bytes", result.rates.peers.spread(\.grouped), result.p99.peers.spread { $0.text() },
          result.cpu.peers.spread { $0.text(0) },
        ],
        [
          "ratio", result.rates.ratios.spread { $0.text() }, result.p99.ratios.spread { $0.text() },
          result.cpu.ratios.spread { $0.text() },
        ],
      ])
    print("\nThe load's own thread used \((result.loadShare.median * 100).text(0)) % of one core.")
    let ratio = result.rates.ratios.median
    return Output.verdict("\(ratio.text()) of a bare Hummingbird; the bar is \(Self.bar)", met: ratio >= Self.bar)
  }
}
