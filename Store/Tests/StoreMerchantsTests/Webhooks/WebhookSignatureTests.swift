import Foundation
import StoreBaseTestSupport
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct WebhookSignatureTests {
  /// The message of the vectors of Standard Webhooks 1.0.0.
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
  private static let time = Date(timeIntervalSince1970: 1_614_265_330.9)
  private static let body = Array(#"{"test": 2432232314}"#.utf8)
  private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

  @Test("the signature equals that of the specification, whose time has whole seconds")
  func vector() throws {
    let secret = try #require(WebhookSecret(text: Self.secret))
    let header = WebhookSignature.header(id: Self.id, timestamp: Self.time, body: Self.body, secrets: [secret])
    #expect(header == Self.signature)
  }

  @Test("two secrets give two signatures, in the order of the secrets")
  func rotation() throws {
    let old = try #require(WebhookSecret(text: Self.secret))
    let new = WebhookSecret(SeededRandomSource())
    let header = WebhookSignature.header(id: Self.id, timestamp: Self.time, body: Self.body, secrets: [new, old])
    let parts = header.split(separator: " ").map(String.init)
    #expect(parts.count == 2)
    #expect(parts.first != Self.signature)
    #expect(parts.first?.hasPrefix("v1,") == true)
    #expect(parts.last == Self.signature)
  }

  @Test("a new secret has 32 bytes and is parsed from its text")
  func newSecret() {
    let random = SeededRandomSource()
    let secret = WebhookSecret(random)
    #expect(secret.bytes.count == 32)
    #expect(secret.text.hasPrefix("whsec_"))
    #expect(WebhookSecret(text: secret.text) == secret)
    #expect(WebhookSecret(random) != secret)
  }

  private static let otherForms = [
    "", "whsec_", "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_",
    "whsec_\(Data(repeating: 1, count: 23).base64EncodedString())",
    "whsec_\(Data(repeating: 1, count: 65).base64EncodedString())",
  ]

  @Test("a secret of another form or size is rejected", arguments: otherForms)
  func otherForm(text: String) {
    #expect(WebhookSecret(text: text) == nil)
  }

  @Test("a secret prints as redacted")
  func printing() throws {
    let secret = try #require(WebhookSecret(text: Self.secret))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "redacted")
    #expect(String(reflecting: secret) == "redacted")
    #expect(!dumped.contains("\(secret.bytes[0])"))
  }
}
