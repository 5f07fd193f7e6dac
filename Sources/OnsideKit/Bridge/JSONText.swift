import Foundation
import OnsideAPI

/// A value that is encoded already.
struct JSONText: Sendable, Hashable {
  let text: String

  static let null = JSONText(text: "null")

  private static let encoder = WireCoding.encoder()
}

extension JSONText {
  init(_ value: some Encodable) throws {
    self.init(text: String(decoding: try Self.encoder.encode(value), as: UTF8.self))
  }
}
