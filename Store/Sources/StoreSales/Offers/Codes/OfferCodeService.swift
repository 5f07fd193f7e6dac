public import Foundation
import OnsideAPI
import OnsideCommerce
package import StoreBase

/// Makes the codes of offers, lists them, and ends them. ``OfferCodeRedemption`` takes them.
public struct OfferCodeService: Sendable {
  /// A batch with how many codes it has, and how often these may be used and were.
  public struct Listing: Sendable {
    /// The batch.
    public let batch: OfferCodeBatch
    /// How many codes it has.
    public let codes: Int64
    /// How many accounts may use them.
    public let limit: Int64
    /// How many have, or hold one for an order that waits for its payment.
    public let uses: Int64
  }

  /// Why codes are not made.
  public struct Malformed: Error, CustomStringConvertible {
    /// What was expected and what came.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  /// The most one-time codes of a batch.
  public static let limit = 25_000
  /// How many codes one write adds: purchases wait for it.
  private static let piece = 500

  private let dependencies: BaseDependencies
  private let catalogue: CatalogueService

  package init(_ dependencies: BaseDependencies, catalogue: CatalogueService) {
    self.dependencies = dependencies
    self.catalogue = catalogue
  }

  /// Makes so many one-time codes of an offer; each is used once, and an account uses one of them.
  public func create(
    _ count: Int, product: String, offer: String, of app: String, expiresAt: Date?
  ) async throws -> (batch: OfferCodeBatch, codes: [OfferCode]) {
    guard (1...Self.limit).contains(count) else {
      throw Malformed("expected 1 to \(Self.limit) codes, got \(count)")
    }
    let (now, random) = (dependencies.clock.now(), dependencies.random)
    let batch = try batch(
      random.uuid7(at: now).lowercase, product: product, offer: offer, of: app, isCustom: false, expiresAt: expiresAt)
    try await dependencies.database.write(at: now) { try OfferCodeRecords.insert(batch, in: $0) }
    var texts = (0..<count).map { _ in OfferCode.random(random) }[...]
    var codes: [OfferCode] = []
    while !texts.isEmpty {
      let piece = Array(texts.prefix(Self.piece))
      texts = texts.dropFirst(piece.count)
      try await dependencies.database.write(at: now) { transaction in
        for text in piece {
          guard try OfferCodeRecords.insert(code: text, limit: 1, of: batch.id, in: transaction) else {
            throw Malformed("two codes are the same: disable the batch \(batch.id), and make the codes once more")
          }
        }
      }
      codes += piece.map { OfferCode(text: $0, batchID: batch.id, limit: 1, uses: 0) }
    }
    return (batch, codes)
  }

  /// Makes one code with a name, which so many accounts may use once each.
  public func createCustom(
    _ name: String, limit: Int64, product: String, offer: String, of app: String, expiresAt: Date?
  ) async throws -> OfferCode {
    guard let text = OfferCode.normalized(name) else {
      throw Malformed("expected a code of 4 to 32 letters A to Z and digits, got \(name)")
    }
    guard (1...1_000_000_000).contains(limit) else {
      throw Malformed("expected a limit of 1 to 1000000000 accounts, got \(limit)")
    }
    let batch = try batch(text, product: product, offer: offer, of: app, isCustom: true, expiresAt: expiresAt)
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard try OfferCodeRecords.insert(code: text, limit: limit, of: text, in: transaction) else {
        throw Malformed("expected a code that is not there yet, got \(text)")
      }
      try OfferCodeRecords.insert(batch, in: transaction)
    }
    return OfferCode(text: text, batchID: text, limit: limit, uses: 0)
  }

  private func batch(
    _ id: String, product: String, offer: String, of app: String, isCustom: Bool, expiresAt: Date?
  ) throws(Malformed) -> OfferCodeBatch {
    let sold = catalogue.catalogue(of: app)[product]?.subscription?.offers ?? []
    guard let known = sold.first(where: { $0.id == offer }), known.kind == .code else {
      let names = sold.filter { $0.kind == .code }.map(\.id).joined(separator: ", ")
      throw Malformed(
        "expected an offer of the kind CODE of \(product), got \(offer); "
          + (names.isEmpty ? "the product has none" : "the product has \(names)"))
    }
    let now = dependencies.clock.now()
    if let expiresAt, expiresAt <= now { throw Malformed("expected an end after now, got \(expiresAt)") }
    return OfferCodeBatch(
      id: id, appID: app, productID: product, offerID: offer, isCustom: isCustom, createdAt: now,
      expiresAt: expiresAt, disabledAt: nil)
  }

  /// The batches of an app, the newest first.
  public func batches(of app: String) async throws -> [Listing] {
    try await dependencies.database.read { connection in
      try OfferCodeRecords.batches(of: app, in: connection).map { batch in
        let totals = try OfferCodeRecords.totals(of: batch.id, in: connection)
        return Listing(batch: batch, codes: totals.codes, limit: totals.limit, uses: totals.uses)
      }
    }
  }

  /// The codes of a batch of an app; nil when there is no such batch.
  public func codes(of batch: String, app: String) async throws -> [OfferCode]? {
    try await dependencies.database.read { connection in
      guard try OfferCodeRecords.batch(batch, in: connection)?.appID == app else { return nil }
      return try OfferCodeRecords.codes(of: batch, in: connection)
    }
  }

  /// Forgets the wrong codes that count no more.
  package func clearTries() async throws {
    let now = dependencies.clock.now()
    try await dependencies.database.inPieces { try OfferCodeTryRecords.clear(at: now, in: $0) }
  }

  /// Ends a batch: its codes are taken no more, and orders that hold one may still be paid. False when it has ended, or
  /// is not there.
  public func disable(_ batch: String, of app: String) async throws -> Bool {
    try await dependencies.database.write(at: dependencies.clock.now()) {
      try OfferCodeRecords.disable(batch, of: app, in: $0)
    }
  }
}
