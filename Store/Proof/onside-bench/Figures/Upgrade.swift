import ArgumentParser
import Foundation
import OnsideStore
import StoreBase
import StoreTestSupport

/// How long a store with many orders is closed when the program of another schema takes it over: from the start of the
/// program until the store is open.
struct Upgrade: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "The first start on a database of schema 321.")
  static let bar = 60.0

  @OptionGroup var places: Places
  @Option(help: "Orders in the database.") var orders = 100_000
  @Flag(help: "On PostgreSQL, in place of SQLite.") var postgres = false

  func run() async throws {
    let met = try await places.withFolder("upgrade") { place in
      var place = place
      let server = postgres ? try await PostgresServer(configuration: PostgresPurchases.memory) : nil
      if let server { place.database = server.url(try await server.makeDatabase()) }
      Output.note("Writing \(Double(orders).grouped) orders …")
      let made = try await FormerStore(place).make(orders: orders)
      let size = postgres ? nil : try StoreDatabase.size(place.file(place.database))
      let copied = try size.map { _ in try copy(place) }
      let closed = try await firstStart(place)
      let kept = try await StoreDatabase.withCore(place) { core in
        try await core.dependencies.database.read {
          Int(try $0.row("SELECT count(*) AS orders FROM orders")?.integer("orders") ?? 0)
        }
      }
      guard kept >= made else { throw BenchFailure("expected \(made) orders after the upgrade, got \(kept)") }
      return report(closed, orders: made, size: size, copied: copied)
    }
    guard met else { throw ExitCode.failure }
  }

  /// Seconds until the store is open.
  private func firstStart(_ place: Workplace) async throws -> Double {
    let start = ContinuousClock.now
    let store = try await ServerProcess.store(place)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    await store.stop()
    return seconds
  }

  /// Seconds for a copy of the file, flushed to the disk.
  private func copy(_ place: Workplace) throws -> Double {
    let start = ContinuousClock.now
    let target = place.file("copy.sqlite")
    try FileManager.default.copyItem(at: place.file(place.database), to: target)
    try FileHandle(forUpdating: target).synchronize()
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    try FileManager.default.removeItem(at: target)
    return seconds
  }

  private func report(_ closed: Double, orders: Int, size: Int?, copied: Double?) -> Bool {
    Output.title("The first start on a database of schema 321, \(Double(orders).grouped) orders")
    Output.table(
      ["", "seconds"],
      rows: [["until the store is open", closed.text(1)]]
        + (copied.map { [["a flushed copy of the file (\((size ?? 0) / 1_048_576) MiB)", $0.text(1)]] } ?? []))
    return Output.verdict(
      "closed for \(closed.text(1)) s; the bar is \(Self.bar.text(0)) s", met: closed <= Self.bar)
  }
}
