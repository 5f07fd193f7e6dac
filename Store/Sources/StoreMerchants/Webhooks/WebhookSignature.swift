import Crypto
package import Foundation

/// The signature `v1` of Standard Webhooks 1.0.0: HMAC-SHA256 over the id, the time and the body, joined by points.
package enum WebhookSignature {
  /// The value of the header `webhook-signature`: one signature for each secret, with spaces between them.
  package static func header(id: String, timestamp: Date, body: [UInt8], secrets: [WebhookSecret]) -> String {
    let content = Data("\(id).\(seconds(timestamp)).".utf8) + body
    return secrets.map { secret in
      let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: Data(secret.bytes)))
      return "v1,\(Data(code).base64EncodedString())"
    }.joined(separator: " ")
  }

  /// The value of the header `webhook-timestamp`: seconds since 1970.
  package static func seconds(_ timestamp: Date) -> Int64 { Int64(timestamp.timeIntervalSince1970.rounded(.down)) }
}
