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

extension AccountID {
  /// The id by which an app knows an account: the first 16 bytes of the account's subject in the app, as a UUID of
  /// version 8 (RFC 9562, section 5.8). Another app has another id for the same account.
  ///
  /// - Parameter subject: a SHA-256 in base64url, as `EntitlementList.subject` has it.
  /// - Returns: nil for any other text.
  public init?(subject: String) {
    guard let digest = Base64URL.decode(subject), digest.count == 32 else { return nil }
    self.init(.version8(digest))
  }
}
