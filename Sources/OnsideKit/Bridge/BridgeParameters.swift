import Foundation
import OnsideAPI

/// The parameters of one call, not yet decoded.
struct BridgeParameters: Sendable {
  /// JSON text; nil when there are none.
  let json: String?

  private static let decoder = WireCoding.decoder()

  /// In bytes.
  var size: Int { json?.utf8.count ?? 0 }

  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try Self.decoder.decode(type, from: LoneSurrogates.replaced(in: json ?? "null"))
  }

  func initialize() throws -> BridgeRequest {
    let version: String = try decode()
    guard version == "v1" else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "it is another"))
    }
    return .initialize
  }
}

enum JSTheme: String, Decodable {
  case light, dark, system

  var mode: OnsideUIThemeMode {
    switch self {
    case .light: .light
    case .dark: .dark
    case .system: .auto
    }
  }
}

struct LoadProductsParameters: Decodable, Sendable {
  let productIdentifiers: Set<String>
}

struct PurchaseParameters: Decodable, Sendable {
  let productIdentifier: String
  let appAccountToken: String?
}
