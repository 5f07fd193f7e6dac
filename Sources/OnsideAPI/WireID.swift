public import Foundation

/// An identifier on the wire: a UUID, written in lower case, of one kind of thing.
public struct WireID<Thing>: Hashable, Sendable, Codable, LosslessStringConvertible {
  /// The UUID.
  public let uuid: UUID

  /// Makes an identifier.
  public init(_ uuid: UUID) { self.uuid = uuid }

  /// Reads the 36-character form, in either case.
  public init?(_ description: String) {
    guard let uuid = UUID(uuidString: description) else { return nil }
    self.uuid = uuid
  }

  /// The 36-character form in lower case.
  public var description: String { uuid.uuidString.lowercased() }

  /// Reads the 36-character form, in either case.
  public init(from decoder: any Decoder) throws {
    uuid = try UUID(from: decoder)
  }

  /// Writes the 36-character form in lower case.
  public func encode(to encoder: any Encoder) throws {
    try description.encode(to: encoder)
  }
}

/// The id of an order, which is its transaction's and its idempotency key.
public typealias OrderID = WireID<OrderMessage>

/// The id of an account.
public typealias AccountID = WireID<AccountMessage>
