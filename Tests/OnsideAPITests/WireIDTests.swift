import Foundation
import OnsideAPI
import Testing

@Suite("Identifiers on the wire", .timeLimit(.minutes(5)))
struct WireIDTests {
  @Test("An identifier is written in lower case and read in either")
  func caseOfLetters() throws {
    let id = try #require(OrderID("019AA0C4-7E0A-7F00-8123-456789ABCDEF"))
    let json = try WireCoding.encoder().encode(id)
    #expect(String(decoding: json, as: UTF8.self) == "\"019aa0c4-7e0a-7f00-8123-456789abcdef\"")
    let decoded = try WireCoding.decoder().decode(OrderID.self, from: json)
    #expect(decoded == id)
    #expect(OrderID("not-a-uuid") == nil)
  }

  @Test("A version 7 UUID carries its milliseconds, version and variant, and sorts by time")
  func version7() throws {
    let date = Date(timeIntervalSince1970: 1_645_557_742)
    // The example of RFC 9562, appendix A.6.
    let random: [UInt8] = [0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
    #expect(UUID.version7(at: date, random: random).uuidString == "017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
    let later = UUID.version7(at: date.addingTimeInterval(0.001), random: [UInt8](repeating: 0, count: 10))
    let earlier = UUID.version7(at: date, random: [UInt8](repeating: 255, count: 10))
    #expect(earlier.uuidString < later.uuidString)
  }

  @Test("Too few random bytes count as zero, too many are ignored, and a time before 1970 counts as 1970")
  func version7Edges() {
    #expect(
      UUID.version7(at: Date(timeIntervalSince1970: -5), random: [1]).uuidString
        == "00000000-0000-7100-8000-000000000000")
  }

  @Test(
    "A path parameter cannot leave its segment",
    arguments: [("a/b", "a%2Fb"), ("ä", "%C3%A4"), ("x y?#", "x%20y%3F%23")])
  func pathParameters(value: String, encoded: String) {
    #expect(Route.order.path(value) == "/v1/orders/\(encoded)")
    #expect(Route.finishOrder.path(value) == "/v1/orders/\(encoded)/finish")
  }
}
