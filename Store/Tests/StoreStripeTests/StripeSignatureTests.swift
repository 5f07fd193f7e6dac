import Crypto
import Foundation
import OnsideAPI
import Testing

@testable import StoreStripe

@Suite("Stripe: signatures of webhook calls")
struct StripeSignatureTests {
  private static let secret = "whsec_5Yc0ffee"
  private static let body = Array(#"{"id":"evt_1","object":"event"}"#.utf8)
  private static let time: Int64 = 1_780_000_000

  private static func code(_ body: [UInt8] = body, time: Int64 = time, secret: String = secret) -> String {
    let key = SymmetricKey(data: Data(secret.utf8))
    return Hexadecimal.encode(HMAC<SHA256>.authenticationCode(for: Data("\(time).".utf8) + body, using: key))
  }

  private static func fault(
    _ header: String?, body: [UInt8] = body, now: Int64 = time, secrets: [String] = [secret]
  ) -> StripeSignature.Fault? {
    do throws(StripeSignature.Fault) {
      let date = Date(timeIntervalSince1970: Double(now))
      try StripeSignature(header).verify(body, secrets: secrets.compactMap(StripeWebhookSecret.init), now: date)
      return nil
    } catch {
      return error
    }
  }

  @Test("A signature of the endpoint's secret is taken; those of other versions are passed over")
  func good() {
    #expect(Self.fault("t=\(Self.time),v1=\(Self.code())") == nil)
    #expect(Self.fault("t=\(Self.time),v0=00,v1=\(Self.code()),v2=x") == nil)
    #expect(Self.fault("v1=\(Self.code()),t=\(Self.time)") == nil)
  }

  @Test("while a secret is rolled, either of two signatures and either of two secrets do")
  func rolled() {
    let (old, new) = ("whsec_old", "whsec_new")
    let header = "t=\(Self.time),v1=\(Self.code(secret: new)),v1=\(Self.code(secret: old))"
    #expect(Self.fault(header, secrets: [old]) == nil)
    #expect(Self.fault(header, secrets: [new]) == nil)
    #expect(Self.fault("t=\(Self.time),v1=\(Self.code(secret: old))", secrets: [new, old]) == nil)
    #expect(Self.fault(header, secrets: ["whsec_third"]) == .wrong)
  }

  @Test(
    "a call is as old as 300 seconds at most, and no more than that ahead",
    arguments: [
      (301, .tooOld), (300, nil), (299, nil), (0, nil), (-299, nil), (-300, nil), (-301, .tooNew), (-3600, .tooNew),
    ] as [(Int64, StripeSignature.Fault?)])
  func tolerance(age: Int64, fault: StripeSignature.Fault?) {
    #expect(Self.fault("t=\(Self.time),v1=\(Self.code())", now: Self.time + age) == fault)
  }

  @Test("a body that was changed by one byte is refused, wherever")
  func changed() {
    let header = "t=\(Self.time),v1=\(Self.code())"
    for index in Self.body.indices {
      var body = Self.body
      body[index] ^= 1
      #expect(Self.fault(header, body: body) == .wrong)
    }
    #expect(Self.fault(header, body: Self.body + [10]) == .wrong)
    #expect(Self.fault("t=\(Self.time + 1),v1=\(Self.code())") == .wrong)
  }

  @Test("a body of a megabyte is checked as it came, not as text")
  func large() {
    let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(Self.fault("t=\(Self.time),v1=\(Self.code(body))", body: body) == nil)
  }

  @Test(
    "What is no signature is refused",
    arguments: [
      (nil, .missing), ("", .missing), ("t=1", .noSignature), ("v1=00", .malformed), ("garbage", .malformed),
      ("t=1,v1=zz", .noSignature), ("t=,v1=00", .malformed), ("t=-5,v1=00", .malformed), ("t=1,t=2,v1=00", .malformed),
      ("t=99999999999999999999,v1=00", .malformed), (String(repeating: "a", count: 5000), .malformed),
    ] as [(String?, StripeSignature.Fault)])
  func malformed(header: String?, fault: StripeSignature.Fault) {
    #expect(Self.fault(header) == fault)
  }

  @Test("The key is the whole secret with its prefix, and no secret accepts nothing")
  func key() {
    let header = "t=\(Self.time),v1=\(Self.code(secret: "5Yc0ffee"))"
    #expect(Self.fault(header) == .wrong)
    #expect(Self.fault("t=\(Self.time),v1=\(Self.code())", secrets: []) == .wrong)
  }

  @Test("A wrong signature is not told how old it is")
  func order() { #expect(Self.fault("t=1,v1=\(Self.code())") == .wrong) }
}
