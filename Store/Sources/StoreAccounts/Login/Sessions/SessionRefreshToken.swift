import Crypto
import Foundation
import OnsideAPI

/// A refresh token: `session.generation.mac`. The secret of a session never leaves the store; the token of any of its
/// generations can be made again from it, which is how a lost answer is given a second time.
struct SessionRefreshToken: Sendable {
  let session: String
  let generation: Int64
  private let mac: [UInt8]

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count < 256, parts.count == 3, let generation = Int64(parts[1]),
      let mac = Base64URL.decode(parts[2])
    else { return nil }
    session = String(parts[0])
    self.generation = generation
    self.mac = mac
  }

  /// True when the session's secret has made it.
  func isMade(with secret: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(
      mac, authenticating: Self.message(session, generation: generation), using: SymmetricKey(data: secret))
  }

  static func make(session: String, generation: Int64, secret: [UInt8]) -> String {
    let mac = HMAC<SHA256>.authenticationCode(
      for: message(session, generation: generation), using: SymmetricKey(data: secret))
    return "\(session).\(generation).\(Base64URL.encode(Array(mac)))"
  }

  private static func message(_ session: String, generation: Int64) -> Data { Data("\(session).\(generation)".utf8) }
}
