package import Crypto
import Foundation
import OnsideAPI
import StoreBase

/// The name of an order's payment page: the order's id and a 128-bit code over it, which only the store can make. It
/// works as long as the order is open, without a table of its own.
package struct PaymentToken: Sendable {
  private static let codeLength = 16
  private let key: SymmetricKey

  package init(key: SymmetricKey) {
    self.key = key
  }

  func token(orderID: UUID) -> String {
    let id = withUnsafeBytes(of: orderID.uuid) { Array($0) }
    return Base64URL.encode(id + code(id))
  }

  /// The order of a token; nil when the store has not made it.
  func orderID(_ token: String) -> UUID? {
    guard token.utf8.count <= 64, let bytes = Base64URL.decode(token), bytes.count == 16 + Self.codeLength else {
      return nil
    }
    let id = Array(bytes.prefix(16))
    guard ConstantTime.areEqual(bytes.dropFirst(16), code(id)) else { return nil }
    return id.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private func code(_ id: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: id, using: key).prefix(Self.codeLength))
  }
}

extension VersionedKey<PaymentToken> {
  func token(orderID: UUID) -> String { current.token(orderID: orderID) }

  /// The order of a token; nil if the store has not made it.
  func orderID(_ token: String) -> UUID? { first { $0.orderID(token) } }
}
