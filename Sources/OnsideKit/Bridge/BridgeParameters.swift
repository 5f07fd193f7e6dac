import Foundation

/// The parameters of one call, not yet read.
struct BridgeParameters {
  /// Empty when there are none.
  let json: ArraySlice<UInt8>

  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: json.isEmpty ? Data("null".utf8) : JSONText.repaired(json))
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
