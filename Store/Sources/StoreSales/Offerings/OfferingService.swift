import OnsideCommerce
package import StoreBase

/// The groups of products that operators put together.
public struct OfferingService: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let catalogue: CatalogueService

  package init(database: any Database, clock: any StoreClock, catalogue: CatalogueService) {
    self.database = database
    self.clock = clock
    self.catalogue = catalogue
  }

  /// What an app offers.
  public func offerings(of app: String) async throws -> Offerings {
    try await database.read { try OfferingRecords.offerings(of: app, in: $0) }
  }

  /// Adds an offering to an app, or changes it. Throws ``Offering/Malformed`` when the app does not sell a product, or
  /// has too many offerings.
  /// - Parameter isCurrent: whether it is the one to be shown from now on; nil leaves that as it is.
  public func save(_ offering: Offering, of app: String, isCurrent: Bool? = nil) async throws {
    let sold = catalogue.catalogue(of: app)
    if let unknown = offering.productIDs.first(where: { sold[$0] == nil }) {
      throw Offering.Malformed("expected products that \(app) sells, got “\(unknown)”; import the catalogue first")
    }
    try await database.write(at: clock.now()) { transaction in
      let known = try OfferingRecords.offerings(of: app, in: transaction)
      guard known.all.count < Offering.limit || known.all.contains(where: { $0.id == offering.id }) else {
        throw Offering.Malformed("expected at most \(Offering.limit) offerings of an app; remove one first")
      }
      try OfferingRecords.save(offering, of: app, in: transaction)
      if let isCurrent, isCurrent || known.current == offering.id {
        try OfferingRecords.makeCurrent(isCurrent ? offering.id : nil, of: app, in: transaction)
      }
    }
  }

  /// Removes an offering of an app; false when there is none of that name.
  public func remove(_ id: String, of app: String) async throws -> Bool {
    try await database.write(at: clock.now()) { transaction in
      guard try OfferingRecords.offerings(of: app, in: transaction).all.contains(where: { $0.id == id }) else {
        return false
      }
      try OfferingRecords.remove(id, of: app, in: transaction)
      return true
    }
  }
}
