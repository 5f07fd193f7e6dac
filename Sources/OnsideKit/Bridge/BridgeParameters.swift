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

struct TrackEventParameters: Decodable, Sendable {
  let name: String
  let parameters: [String: JSEventValue]?

  /// The event's name for the store. The two predefined names are written in another way there.
  var eventName: String {
    switch name {
    case "purchaseCompleted": OnsideEventName.purchaseCompleted.rawValue
    case "subscriptionStarted": OnsideEventName.subscriptionStarted.rawValue
    default: name
    }
  }

  var values: [String: OnsideEventValue] { (parameters ?? [:]).compactMapValues(\.value) }
}

/// The value of an event's parameter. What is no such value, for example `null`, which JSON makes of `NaN`, is dropped.
struct JSEventValue: Decodable, Sendable {
  let value: OnsideEventValue?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    value =
      if let string = try? container.decode(String.self) {
        .string(string)
      } else if let bool = try? container.decode(Bool.self) {
        .bool(bool)
      } else if let integer = try? container.decode(Int.self) {
        .integer(integer)
      } else if let number = try? container.decode(Double.self) {
        .number(number)
      } else if let array = try? container.decode([JSEventValue].self) {
        .array(array.compactMap(\.value))
      } else {
        nil
      }
  }
}
