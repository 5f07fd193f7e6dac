/// A short description of a decoding error, without the decoded values.
struct DecodingFault: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error as? DecodingError {
      case .typeMismatch(let type, let context): "\(Self.path(context)) is no \(type)"
      case .valueNotFound(_, let context): "\(Self.path(context)) is missing"
      case .keyNotFound(let key, let context): "\(Self.path(context, key)) is missing"
      case .dataCorrupted(let context): "\(Self.path(context)) is not valid"
      default: "it cannot be read"
      }
  }

  private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
    let keys = (context.codingPath + [key].compactMap { $0 }).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return keys.isEmpty ? "it" : keys.joined(separator: ".").replacing(".[", with: "[")
  }
}
