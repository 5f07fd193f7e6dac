import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideStore
import StoreAccounts
import StoreMerchants
import Testing

/// A merchant's server of a test, with a secret of an app.
struct TestMerchant: Sendable {
  let made: NewMerchantSecret

  /// A JWT for one request.
  ///
  /// - Parameters:
  ///   - changes: claims as JSON in place of the usual ones.
  ///   - key: the key of the signature in place of the secret.
  func token(
    id: String = UUID().uuidString, at now: Date, changing changes: [String: String] = [:], kid: String? = nil,
    key: String? = nil
  ) -> String {
    let time = Int(now.timeIntervalSince1970)
    let usual = [
      "iss": #""onside""#, "aud": #""onside""#, "sub": "\"\(made.entry.merchant)\"", "jti": "\"\(id)\"",
      "exp": "\(time + 20)", "nbf": "\(time - 10)",
    ]
    let claims = usual.merging(changes) { $1 }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let header = #"{"alg":"HS256","kid":"\#(kid ?? made.entry.id)","typ":"JWT"}"#
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode("{\(claims)}".utf8))"
    let code = HMAC<SHA256>.authenticationCode(
      for: Data(signed.utf8), using: SymmetricKey(data: Data((key ?? made.secret.text).utf8)))
    return "\(signed).\(Base64URL.encode(Array(code)))"
  }

  /// Requests the history of an order with a JWT.
  static func history(
    of order: String, token: String?, with client: any TestClientProtocol
  ) async throws -> TestResponse {
    var headers: HTTPFields = [:]
    headers[.authorization] = token.map { "Bearer \($0)" }
    return try await client.execute(
      uri: Route.merchantHistory.path(order), method: .get, headers: headers
    ) { $0 }
  }
}

extension TestStore {
  /// Makes the merchant id of an app, and its first secret.
  func merchant(of app: String = TestShop.app.id) async throws -> TestMerchant {
    TestMerchant(made: try #require(try await core.merchantSecrets.add(app: app)))
  }
}
