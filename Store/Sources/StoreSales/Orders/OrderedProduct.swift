import Crypto
import Foundation
package import OnsideAPI

/// A product as it was when it was ordered: texts, kind and price never change afterwards, whatever the catalogue does.
package struct OrderedProduct: Sendable {
  /// Made of the content, so that equal products are kept once and an id never means something else.
  package let id: Int64
  package let message: ProductMessage
  /// The message as the wire has it.
  package let json: [UInt8]

  init(_ message: ProductMessage) throws {
    self.init(message, json: [UInt8](try WireCoding.encoder().encode(message)))
  }

  init(_ message: ProductMessage, json: [UInt8]) {
    self.message = message
    self.json = json
    id = SHA256.hash(data: json).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }
}
