extension DecodingError {
  /// Which field was wrong; nothing of what it held.
  var field: String {
    switch self {
    case .keyNotFound(let key, let context): "Expected the field \(Self.path(context, key: key))."
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      context.codingPath.isEmpty
        ? "Expected a JSON object." : "Expected \(Self.word(for: type)) in the field \(Self.path(context))."
    case .dataCorrupted(let context):
      context.codingPath.isEmpty ? "Expected a JSON object." : "The field \(Self.path(context)) has no valid value."
    @unknown default: "Expected a JSON object."
    }
  }

  private static func word(for type: any Any.Type) -> String {
    switch type {
    case is any BinaryInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    default: "another kind of value"
    }
  }

  private static func path(_ context: Context, key: (any CodingKey)? = nil) -> String {
    (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
  }
}
