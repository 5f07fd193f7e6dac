import OnsideCommerce

/// An event as a page tells it. Of what ``EventRules`` would drop anyway it reads no more than is needed to say so: a
/// hostile page sends lists of millions.
struct TrackEventParameters: Decodable, Sendable {
  let name: String
  private let parameters: Parameters?

  /// The event's name for the store. The two predefined names are written in another way there.
  var eventName: String {
    switch name {
    case "purchaseCompleted": OnsideEventName.purchaseCompleted.rawValue
    case "subscriptionStarted": OnsideEventName.subscriptionStarted.rawValue
    default: name
    }
  }

  var values: [String: OnsideEventValue] { parameters?.values ?? [:] }

  /// Parameters in key order, until there are more than count.
  private struct Parameters: Decodable, Sendable {
    private(set) var values: [String: OnsideEventValue] = [:]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      var count = 0
      for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        guard count <= EventRules.parameterLimit else { return }
        let value = try container.decode(EventParameter.self, forKey: key).value
        values[key.stringValue] = value
        if EventRules.isKept(key.stringValue), !value.isNothing { count += 1 }
      }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The value of a parameter. What is none, such as `null`, which JSON makes of `NaN`, is no number: the rules drop it.
private struct EventParameter: Decodable {
  let value: OnsideEventValue

  init(from decoder: any Decoder) throws {
    guard var list = try? decoder.unkeyedContainer() else {
      value = try OnsideEventValue(scalarFrom: decoder.singleValueContainer())
      return
    }
    var elements: [OnsideEventValue] = []
    // One more than count, so that the rules see that there was more.
    while !list.isAtEnd, elements.count <= EventRules.listLimit {
      elements.append(try list.decode(Element.self).value)
    }
    value = .array(elements)
  }

  private struct Element: Decodable {
    let value: OnsideEventValue
    init(from decoder: any Decoder) throws {
      value = try OnsideEventValue(scalarFrom: decoder.singleValueContainer())
    }
  }
}

extension OnsideEventValue {
  fileprivate init(scalarFrom container: some SingleValueDecodingContainer) throws {
    self =
      if let string = try? container.decode(String.self) {
        .string(string)
      } else if let bool = try? container.decode(Bool.self) {
        .bool(bool)
      } else if let integer = try? container.decode(Int.self) {
        .integer(integer)
      } else {
        .number((try? container.decode(Double.self)) ?? .nan)
      }
  }

  fileprivate var isNothing: Bool { if case .number(let number) = self { !number.isFinite } else { false } }
}
