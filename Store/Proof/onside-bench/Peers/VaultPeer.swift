import Foundation

/// The C program that flushes each count by itself; see `Peers/vault.c`.
enum VaultPeer {
  static let database = "vault-peer.sqlite"

  /// How it serves many connections.
  enum Way: String, CaseIterable {
    case loop, threads

    var name: String {
      switch self {
      case .loop: "C, one request after the other"
      case .threads: "C, a thread for each connection"
      }
    }
  }

  /// Takes over the store's tables, with the enrolments in them, and serves.
  static func start(_ way: Way, in place: Workplace) async throws -> ServerProcess {
    let database = database(way)
    _ = try await BenchProcess.run(
      place.vaultPeer, arguments: ["copy", ExampleShop.database, database], in: place.folder)
    return try await ServerProcess.vaultPeer(["serve", database, way.rawValue], in: place)
  }

  /// Its evaluations per second of processor time, without and with the check of a signature; no HTTP, no SQL.
  static func core(_ count: Int, in place: Workplace) async throws -> (evaluation: Double, signed: Double) {
    let lines = try await BenchProcess.run(place.vaultPeer, arguments: ["core", "\(count)"], in: place.folder)
    let rates = lines.compactMap(Double.init)
    guard rates.count == 2 else { throw BenchFailure("the peer gave no two numbers: \(lines)") }
    return (rates[0], rates[1])
  }

  static func database(_ way: Way) -> String { "\(way.rawValue)-\(database)" }
}
