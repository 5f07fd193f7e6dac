import Foundation
public import OnsideCommerce
import StoreBase

extension CatalogueService {
  /// Throws ``CatalogueChangeError`` if ``replace(_:of:)`` would reject the catalogue; changes nothing.
  public func check(_ catalogue: Catalogue, of app: String) async throws {
    let now = clock.now()
    try await database.read { try Self.check(catalogue, of: app, at: now, in: $0) }
  }

  /// Compares the groups of products with those of the last import that had them, also if they are no longer sold.
  static func check(
    _ catalogue: Catalogue, of app: String, at now: Date, in connection: any SQLConnection
  ) throws {
    let changes = try CatalogueRecords.products(of: app, in: connection).compactMap { json in
      let before = try JSONDecoder().decode(Product.self, from: Data(json.utf8))
      return try catalogue[before.id].flatMap { after in
        try change(from: before, to: after, of: app, at: now, in: connection)
      }
    }
    if !changes.isEmpty { throw CatalogueChangeError(changes: changes) }
  }

  private static func change(
    from before: Product, to after: Product, of app: String, at now: Date, in connection: any SQLConnection
  ) throws -> CatalogueChangeError.Change? {
    guard let group = before.subscription?.groupID, after.subscription?.groupID != group else { return nil }
    let count = try SubscriptionRecords.active(of: app, group: group, at: now, in: connection) { machine in
      [machine.period?.plan, machine.nextPlan].contains { $0?.productID == before.id }
    }
    guard count > 0 else { return nil }
    return CatalogueChangeError.Change(
      product: before.id, group: group, newGroup: after.subscription?.groupID, subscriptions: count)
  }
}

/// Products with active subscriptions that a catalogue moves to another subscription group.
///
/// A subscription stays in the group of its purchase. Sold in another group, its product could be bought a second time,
/// and both subscriptions would be charged.
public struct CatalogueChangeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A product that a catalogue moves.
  public struct Change: Sendable, Hashable {
    /// The product's identifier.
    public let product: String
    /// The group of its subscriptions.
    public let group: String
    /// The group in the rejected catalogue; nil if the product is no subscription there.
    public let newGroup: String?
    /// The number of active subscriptions to the product, also unpaid and paused ones.
    public let subscriptions: Int
  }

  /// The changes, in the order of the products before.
  public let changes: [Change]

  /// One line for each product: the expected group, the one that came, and the number of subscriptions.
  public var description: String {
    changes.map { change in
      let subscriptions = "\(change.subscriptions) active subscription\(change.subscriptions == 1 ? "" : "s")"
      let came = change.newGroup.map { "\"\($0)\"" } ?? "none"
      return "\(change.product): expected the group \"\(change.group)\" of its \(subscriptions), got \(came)"
    }
    .joined(separator: "\n")
  }
}
