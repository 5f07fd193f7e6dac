import Sodium
import Testing

@Suite("ristretto255", .timeLimit(.minutes(5)))
struct Ristretto255Tests {
  private let element: [UInt8]

  init() throws {
    let one = [1] + [UInt8](repeating: 0, count: 31)
    element = try #require(Ristretto255.timesGenerator(one))
  }

  @Test("WAL-6: An element has one text: the same with the top bit set is refused")
  func topBit() {
    #expect(Ristretto255.Element(element) != nil && Ristretto255.Element(toMultiply: element) != nil)
    var other = element
    other[31] |= 0x80
    #expect(Ristretto255.Element(other) == nil && Ristretto255.Element(toMultiply: other) == nil)
  }

  /// RFC 9496, appendix A.3: non-canonical field elements, and negative ones.
  private static let badTexts: [[UInt8]] = [
    [0x00] + [UInt8](repeating: 0xff, count: 31), [UInt8](repeating: 0xff, count: 31) + [0x7f],
    [0xf3] + [UInt8](repeating: 0xff, count: 30) + [0x7f], [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    [0x01] + [UInt8](repeating: 0x00, count: 31), [0x01] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f], [UInt8](repeating: 0, count: 31) + [0x80],
  ]

  @Test("WAL-6: The RFC's bad texts of field elements are refused", arguments: badTexts)
  func bad(bytes: [UInt8]) {
    #expect(bytes.count == 32 && Ristretto255.Element(bytes) == nil && Ristretto255.Element(toMultiply: bytes) == nil)
  }
}
