import OnsideCommerce

extension OnsideEventValue {
  /// The form on the wire.
  var wire: EventValue {
    guard case .array(let elements) = self else { return .single(scalar ?? .text("")) }
    return .list(elements.compactMap(\.scalar))
  }

  /// The value, unless it is a list.
  private var scalar: EventScalar? {
    switch self {
    case .string(let value): .text(value)
    case .integer(let value): .integer(Int64(value))
    case .number(let value): .number(value)
    case .bool(let value): .flag(value)
    case .array: nil
    }
  }
}
