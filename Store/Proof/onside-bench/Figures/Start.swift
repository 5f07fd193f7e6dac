import ArgumentParser
import Foundation
import OnsideAPI
import OnsideKit

/// The SDK's start with a full journal: a new process each time, with the store running.
struct Start: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "The SDK's start with a full journal.")
  static let storefrontBar = 50.0
  static let turnBar = 8.0

  @OptionGroup var places: Places
  @Option(help: "How many pairs.") var pairs = 9
  @Option(help: "How many transactions are in the journal.") var transactions = 5_000

  func run() async throws {
    let met = try await places.withFolder("start") { place in
      try await ExampleShop.open(place)
      let store = try await ServerProcess.store(place)
      try await fillJournal(store, in: place)
      let result = try await measure(store, in: place)
      await store.stop()
      return report(result)
    }
    guard met else { throw ExitCode.failure }
  }

  private static let phone = Accounts.phones(1)[0]

  /// Fills the journal: buys as the SDK's account, then launches the SDK once, which syncs everything into its journal.
  private func fillJournal(_ store: ServerProcess, in place: Workplace) async throws {
    let tokens = try await Accounts.logIn([Self.phone], at: store)
    let requests = try await PurchaseRequests(place, accounts: tokens)
    let load = Load(sequences: try requests.make(transactions, finish: false))
    _ = try await load.run(port: store.port, connections: 64)
    try await launchFirst(store, storage: place.file("storage"))
    let files = try FileManager.default.contentsOfDirectory(atPath: place.file("storage/transactions").path)
    guard files.count == transactions else {
      throw BenchFailure("expected \(transactions) transactions in the journal, got \(files.count)")
    }
  }

  @MainActor
  private func launchFirst(_ store: ServerProcess, storage: URL) async throws {
    let screens = ScriptedScreens(store: store, phone: Self.phone)
    let client = try SDKClient.make(
      store: try store.address.absoluteString, storage: storage.path, screens: screens)
    try await client.login()
    let observer = CountingObserver()
    client.defaultPaymentQueue().add(observer: observer)
    await observer.seen(transactions)
    await client.close()
  }

  private struct Result {
    var storefront: [Double] = []
    var shown = Pairs()
    var turns = Pairs()
    var noise: [Double] = []
  }

  private func measure(_ store: ServerProcess, in place: Workplace) async throws -> Result {
    let arguments = [
      "device", "--store", try store.address.absoluteString, "--storage", place.file("storage").path,
      "--transactions", "\(transactions)",
    ]
    _ = try await launch(arguments, in: place)
    var result = Result()
    for _ in 0..<pairs {
      let sdk = try await launch(arguments, in: place)
      let plain = try await launch(arguments + ["--plain"], in: place)
      result.storefront.append(sdk[0])
      result.shown.add(ours: sdk[1], peer: plain[1])
      result.turns.add(ours: sdk[2], peer: plain[2])
      result.noise += [sdk[3], plain[3]]
    }
    return result
  }

  private func launch(_ arguments: [String], in place: Workplace) async throws -> [Double] {
    let line = try await BenchProcess.run(place.bench, arguments: arguments, in: place.folder).last ?? ""
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 4 else { throw BenchFailure("expected four numbers from a launch, got: \(line)") }
    return numbers
  }

  private func report(_ result: Result) -> Bool {
    Output.title(
      "SDK start, \(Double(transactions).grouped) transactions in the journal, \(pairs) pairs of new processes")
    Output.table(
      ["", "storefront known ms", "all transactions there ms", "longest main-actor turn ms"],
      rows: [
        [
          "SDK", result.storefront.spread { $0.text() }, result.shown.ours.spread { $0.text(0) },
          result.turns.ours.spread { $0.text() },
        ],
        [
          "the same files read, nothing else", "–", result.shown.peers.spread { $0.text(0) },
          result.turns.peers.spread { $0.text() },
        ],
      ])
    print("\nThe main actor of an idle process waited up to \((result.noise.max() ?? .nan).text()) ms.")
    let isKnown = Output.verdict(
      "storefront known after \(result.storefront.median.text(1)) ms; the bar is \(Self.storefrontBar.text(0)) ms",
      met: result.storefront.median < Self.storefrontBar)
    let turn = result.turns.ours.median
    return Output.verdict(
      "longest main-actor turn \(turn.text(1)) ms; the bar is \(Self.turnBar.text(0)) ms", met: turn <= Self.turnBar)
      && isKnown
  }
}
