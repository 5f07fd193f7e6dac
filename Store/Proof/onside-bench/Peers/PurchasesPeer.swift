import Foundation

/// The C program that writes the rows of purchases; see `Peers/purchases.c`.
struct PurchasesPeer {
  static let database = "peer.sqlite"
  private let place: Workplace

  /// Takes over the store's tables, with one purchase in them.
  init(_ place: Workplace) async throws {
    self.place = place
    _ = try await BenchProcess.run(
      place.purchasesPeer, arguments: ["copy", ExampleShop.database, Self.database], in: place.folder)
  }

  /// Writes purchases, and returns the rate in purchases per second.
  func run(_ count: Int) async throws -> Double {
    let lines = try await BenchProcess.run(
      place.purchasesPeer, arguments: ["run", Self.database, "\(count)"], in: place.folder)
    guard let rate = lines.first.flatMap(Double.init) else { throw BenchFailure("the peer gave no number: \(lines)") }
    return rate
  }
}
