import Foundation

/// What stands in rows of the outbox: JSON.
package enum OutboxPayload {
  package static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  package static func value<Value: Decodable>(_ payload: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(payload.utf8))
  }
}
