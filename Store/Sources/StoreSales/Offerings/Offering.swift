import OnsideAPI
import OnsideCommerce

/// A named group of products of an app, which the operator puts together.
public struct Offering: Sendable, Hashable, Codable {
  /// Its name within the app.
  public let id: String
  /// Texts by name, for the app.
  public let metadata: [String: String]
  /// Its products, in the order in which they are shown.
  public let productIDs: [String]

  /// The most offerings of an app.
  public static let limit = 50
  private static let productLimit = 100
  private static let metadataLimit = 16 * 1024

  /// An offering. Throws ``Malformed`` for a name that is none, no products, the same product twice, and too much
  /// of anything.
  public init(id: String, metadata: [String: String] = [:], productIDs: [String]) throws(Malformed) {
    guard Product.isIdentifier(id) else {
      throw Malformed("expected 1 to 255 letters, digits, dots, dashes and underscores as the name, got “\(id)”")
    }
    guard (1...Self.productLimit).contains(productIDs.count), Set(productIDs).count == productIDs.count else {
      throw Malformed("expected 1 to \(Self.productLimit) products, each once, got \(productIDs.count)")
    }
    let size = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard size <= Self.metadataLimit else {
      throw Malformed("expected at most \(Self.metadataLimit) bytes of metadata, got \(size)")
    }
    self.id = id
    self.metadata = metadata
    self.productIDs = productIDs
  }

  /// Why something is no offering.
  public struct Malformed: Error, Sendable, CustomStringConvertible {
    /// What was expected and what came.
    public let description: String

    init(_ description: String) { self.description = description }
  }
}

/// What an app offers.
public struct Offerings: Sendable, Hashable {
  /// The offerings, in the operator's order.
  public internal(set) var all: [Offering] = []
  /// The name of the one to be shown; nil for none.
  public internal(set) var current: String?
}
