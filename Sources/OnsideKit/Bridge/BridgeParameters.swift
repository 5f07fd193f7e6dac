import Foundation
import OnsideAPI

/// The parameters of one call, not yet decoded.
struct BridgeParameters: Sendable {
  /// JSON text; nil when there are none.
  let json: String?

  private static let decoder = WireCoding.decoder()

  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try Self.decoder.decode(type, from: LoneSurrogates.replaced(in: json ?? "null"))
  }
}
