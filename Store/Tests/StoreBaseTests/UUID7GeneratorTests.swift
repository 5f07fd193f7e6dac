import Foundation
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import StoreBase

@Suite("Identifiers", .timeLimit(.minutes(5)))
struct UUID7GeneratorTests {
  @Test("UUIDs of version 7 grow, within a millisecond and when the clock goes back")
  func grow() {
    let random = SeededRandomSource()
    let start = Date(timeIntervalSince1970: 1_780_000_000)
    let moments = [Date](repeating: start, count: 10_000) + [start - 60, start + 1]
    let identifiers = moments.map { random.uuid7(at: $0).uuidString }
    #expect(identifiers == identifiers.sorted())
    #expect(Set(identifiers).count == identifiers.count)
    #expect(identifiers.allSatisfy { $0.dropFirst(14).first == "7" && "89AB".contains($0.dropFirst(19).first ?? " ") })
  }

  @Test("base64url comes back, and only in its one form")
  func base64() {
    for count in 0..<50 {
      let bytes = SeededRandomSource(seed: UInt64(count)).bytes(count)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      let standard = Data(bytes).base64EncodedString().prefix { $0 != "=" }
      #expect(Base64URL.encode(bytes) == standard.replacing("+", with: "-").replacing("/", with: "_"))
    }
    #expect(Base64URL.decode("AA") == [0])
    for text in ["A", "AB", "AA=", "AA==", "A+", "A/", "A ", "é"] { #expect(Base64URL.decode(text) == nil) }
  }
}

@Suite("UUIDs as text", .timeLimit(.minutes(5)))
struct UUIDTextTests {
  @Test("A UUID comes back from its text, in either case")
  func comesBack() {
    for seed in UInt64(1)...100 {
      let uuid = SeededRandomSource(seed: seed).uuid7(at: Date(timeIntervalSince1970: 1_780_000_000))
      #expect(uuid.lowercase == uuid.uuidString.lowercased())
      #expect(UUID(text: uuid.lowercase) == uuid)
      #expect(UUID(text: uuid.uuidString) == uuid)
    }
  }

  @Test(
    "What is no UUID is refused",
    arguments: [
      "", "0", "0193f0a2-5c7b-7abc-8def-0123456789a", "0193f0a2-5c7b-7abc-8def-0123456789abc",
      "0193f0a25c7b7abc8def0123456789ab", "0193f0a2-5c7b-7abc-8def-0123456789ag",
      "0193f0a25-c7b-7abc-8def-0123456789ab", "0193f0a2-5c7b-7abc-8def--123456789ab",
      "0193f0a2-5c7b-7abc-8def-0123456789ab\u{0}", "\u{664}193f0a2-5c7b-7abc-8def-0123456789ab",
    ])
  func refused(text: String) {
    #expect(UUID(text: text) == nil)
  }
}
