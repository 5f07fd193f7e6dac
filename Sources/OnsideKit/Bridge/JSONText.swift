import Foundation
import OnsideAPI

/// A value as JSON text: encoded once, then kept, compared and pasted into messages.
struct JSONText: Sendable, Hashable {
  let text: String

  static let null = JSONText(text: "null")

  static func array(_ elements: [JSONText]) -> JSONText {
    JSONText(text: "[" + elements.map(\.text).joined(separator: ",") + "]")
  }

  private static let encoder = WireCoding.encoder()
}

extension JSONText {
  init(_ value: some Encodable) throws {
    self.init(text: String(decoding: try Self.encoder.encode(value), as: UTF8.self))
  }
}
