import Foundation

/// Stripe's objects in JSON. What is not known here is passed over: Stripe adds fields and values without a new
/// version.
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

/// Another object, as its id, or as a whole where the call has asked for that with `expand`.
struct StripeExpandable<Object: StripeObject>: Decodable, Sendable {
  let id: String
  let object: Object?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let id = try? container.decode(String.self) {
      (self.id, object) = (id, nil)
    } else {
      let object = try container.decode(Object.self)
      (id, self.object) = (object.id, object)
    }
  }
}

/// A page of a list, the newest object first.
struct StripeList<Element: Decodable & Sendable>: Decodable, Sendable {
  let data: [Element]
  /// Whether older objects follow.
  let hasMore: Bool
}
