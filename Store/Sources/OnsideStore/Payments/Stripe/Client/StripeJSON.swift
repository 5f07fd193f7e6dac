import Foundation

/// Stripe's objects in JSON. What is not known here is passed over: Stripe adds fields and values without a new version.
enum StripeJSON {
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    // Names of metadata, which are the store's own, stay as they are.
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: data)
  }
}

/// Another object, as its id or as a whole: a call may ask for either.
struct StripeReference: Decodable, Sendable, Hashable {
  let id: String

  init(from decoder: any Decoder) throws {
    struct Object: Decodable { let id: String }
    let container = try decoder.singleValueContainer()
    id = try (try? container.decode(String.self)) ?? container.decode(Object.self).id
  }
}

/// A page of a list, the newest object first.
struct StripeList<Element: Decodable & Sendable>: Decodable, Sendable {
  let data: [Element]
  /// Whether older objects follow.
  let hasMore: Bool
}
