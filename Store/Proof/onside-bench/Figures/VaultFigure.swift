import ArgumentParser
import Foundation
import OnsideAPI

/// Evaluations of the vault through HTTP on SQLite, against a C program that flushes each count by itself.
struct VaultFigure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault", abstract: "Tries at wallets' PINs through HTTP on SQLite.")
  static let bar = 1.5
  static let coreBar = 3_000.0

  @OptionGroup var places: Places
  @Option(help: "How many pairs.") var pairs = 7
  @Option(help: "Enrolments in each measurement; each is tried three times.") var enrolments = 2_000
  @Option(help: "Connections.") var connections = 64
  @Option(help: "A folder in memory, for the store without its flush.") var memory = "/dev/shm"

  func run() async throws {
    let core = try await places.withFolder("vault-core") { try await EvaluationCore().measure(rounds: pairs, $0) }
    let process = try await withoutFlush()
    let result = try await places.withFolder("vault") { try await beside($0) }
    let isFastAlone = report(core, process: process)
    guard report(result), isFastAlone else { throw ExitCode.failure }
  }

  private struct Result {
    var rates: [VaultPeer.Way: Pairs] = [:]
    var store: [Double] = []
    var cpu: [Double] = []
    var latencies: [Latencies] = []
    var loadShare: [Double] = []
  }

  private func beside(_ place: Workplace) async throws -> Result {
    let store = try await ServerProcess.store(place)
    let requests = VaultRequests()
    let all = try await requests.enrol((pairs + 1) * enrolments, in: place)
    var peers: [VaultPeer.Way: ServerProcess] = [:]
    for way in VaultPeer.Way.allCases { peers[way] = try await VaultPeer.start(way, in: place) }
    try await VaultAnswers.compare([store] + peers.values, signed: try requests.signed(all[0], input: 0))
    var result = Result()
    // The first is to warm up; its first enrolment was just tried.
    for pair in 0...pairs {
      let load = Load(sequences: try requests.make(all[(pair * enrolments + 1)..<(pair + 1) * enrolments]))
      let (ours, cpu) = try await measured(load, at: store)
      for way in VaultPeer.Way.allCases {
        guard let peer = peers[way] else { continue }
        let theirs = try await load.run(port: peer.port, connections: connections)
        if pair > 0 { result.rates[way, default: Pairs()].add(ours: ours.perSecond, peer: theirs.perSecond) }
      }
      guard pair > 0 else { continue }
      result.store.append(ours.perSecond)
      result.cpu.append(cpu)
      result.latencies.append(ours.latencies[0])
      result.loadShare.append(ours.cpuSeconds / ours.seconds)
    }
    for server in [store] + peers.values { await server.stop() }
    try await VaultAnswers.checkCounts(
      [ExampleShop.database] + VaultPeer.Way.allCases.map(VaultPeer.database), in: place,
      expected: 1 + (pairs + 1) * (enrolments - 1) * VaultRequests.tries)
    return result
  }

  /// Evaluations per second of one core, by the whole store on a database in memory, where a flush costs nothing.
  private func withoutFlush() async throws -> [Double] {
    var inMemory = places
    inMemory.work = memory
    return try await inMemory.withFolder("onside-bench-vault") { place in
      let store = try await ServerProcess.store(place)
      let requests = VaultRequests()
      let all = try await requests.enrol((pairs + 1) * enrolments, in: place)
      var rates: [Double] = []
      for round in 0...pairs {
        let load = Load(sequences: try requests.make(all[(round * enrolments)..<(round + 1) * enrolments]))
        let (_, cpu) = try await measured(load, at: store)
        if round > 0 { rates.append(1e6 / cpu) }
      }
      await store.stop()
      return rates
    }
  }

  /// The load's report, and microseconds of the server's processor time for each answer.
  private func measured(_ load: Load, at server: ServerProcess) async throws -> (Load.Report, cpu: Double) {
    let before = try ProcessStatus(server.id).cpuSeconds()
    let report = try await load.run(port: server.port, connections: connections)
    return (report, (try ProcessStatus(server.id).cpuSeconds() - before) / Double(report.answers) * 1e6)
  }

  private func report(_ core: EvaluationCore.Result, process: [Double]) -> Bool {
    Output.title("The vault without its flush, for each second of one core's time, \(pairs) rounds")
    let rows = [("rules, evaluation and proof", core.evaluation), ("the device's signature, too", core.signed)]
    Output.table(
      ["", "evaluations", "the same calls in C", "ratio"],
      rows: rows.map { name, pairs in
        [name, pairs.ours.spread(\.grouped), pairs.peers.spread(\.grouped), pairs.ratios.spread { $0.text() }]
      } + [["the whole store process, database in memory", process.spread(\.grouped), "", ""]])
    let rate = core.evaluation.ours.median
    return Output.verdict(
      "\(rate.grouped) evaluations a second for each core; the bar is \(Self.coreBar.grouped)",
      met: rate >= Self.coreBar)
  }

  private func report(_ result: Result) -> Bool {
    Output.title(
      "Evaluations through HTTP on SQLite, \(connections) connections, \(pairs) pairs of "
        + "\(((enrolments - 1) * VaultRequests.tries)) evaluations")
    Output.table(
      ["", "evaluations/s", "ratio"],
      rows: [["store", result.store.spread(\.grouped), ""]]
        + VaultPeer.Way.allCases.map { way in
          let pairs = result.rates[way] ?? Pairs()
          return [way.name, pairs.peers.spread(\.grouped), pairs.ratios.spread { $0.text() }]
        })
    let (p50, p99) = (
      result.latencies.map { $0.milliseconds(at: 0.5) }, result.latencies.map { $0.milliseconds(at: 0.99) }
    )
    print(
      "\nThe store answered in \(p50.spread { $0.text(1) }) ms, p99 \(p99.spread { $0.text(1) }) ms, and used",
      "\(result.cpu.median.text(0)) µs of processor time for an evaluation; the load's own thread",
      "\((result.loadShare.median * 100).text(0)) % of one core.")
    let ratio = result.rates[.loop]?.ratios.median ?? .nan
    return Output.verdict(
      "\(ratio.text()) of C that flushes each count by itself; the bar is \(Self.bar.text(1))", met: ratio >= Self.bar)
  }
}
