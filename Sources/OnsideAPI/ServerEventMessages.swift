/// What a merchant's server tells ``Route/serverEvents`` (contract, section 4.3).
public struct ServerEventsRequest: Hashable, Sendable, Codable {
  /// The events, at most ``limit``.
  public var events: [ServerEventMessage]

  /// The most events of a request.
  public static let limit = 1000

  /// Makes a request.
  public init(events: [ServerEventMessage]) { self.events = events }
}

/// Something that happened at a merchant's server.
public struct ServerEventMessage: Hashable, Sendable, Codable {
  /// What happened; compared without case.
  public var eventName: String
  /// Anything more about it.
  public var payload: [String: PayloadValue]
  /// When it happened, ISO 8601 with an offset.
  public var eventDatetime: String
  /// Made once: an event that is sent again is counted once.
  public var eventID: EventID
  /// The installation, as the SDK tells it.
  public var installationID: InstallationID

  enum CodingKeys: String, CodingKey {
    case payload
    case eventName = "event_name"
    case eventDatetime = "event_datetime"
    case eventID = "event_id"
    case installationID = "installation_id"
  }

  /// Makes an event.
  public init(
    eventName: String, payload: [String: PayloadValue], eventDatetime: String, eventID: EventID,
    installationID: InstallationID
  ) {
    self.eventName = eventName
    self.payload = payload
    self.eventDatetime = eventDatetime
    self.eventID = eventID
    self.installationID = installationID
  }
}

/// Any JSON value.
public enum PayloadValue: Hashable, Sendable, Codable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A text.
  case text(String)
  /// An array.
  case list([PayloadValue])
  /// An object.
  case object([String: PayloadValue])

  /// Reads any JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([PayloadValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: PayloadValue].self))
    }
  }

  /// Writes the JSON value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
