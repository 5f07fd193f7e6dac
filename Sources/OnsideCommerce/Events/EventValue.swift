/// The value of an event's parameter: one value, or a flat list of values.
public enum EventValue: Hashable, Sendable {
  /// One value.
  case single(EventScalar)
  /// A list; its elements are no lists.
  case list([EventScalar])
}

/// A text, a number or a truth value.
public enum EventScalar: Hashable, Sendable {
  /// A text.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// Any other number; never NaN or infinite on the wire.
  case number(Double)
  /// True or false.
  case flag(Bool)
}

extension EventScalar: Codable {
  /// Reads a JSON string, number or truth value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .flag(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  /// Writes a JSON string, number or truth value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .flag(let value): try container.encode(value)
    }
  }
}

extension EventValue: Codable {
  /// Reads a JSON value or an array of values.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let list = try? container.decode([EventScalar].self) {
      self = .list(list)
    } else {
      self = .single(try container.decode(EventScalar.self))
    }
  }

  /// Writes a JSON value or an array of values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .single(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    }
  }
}
