import Foundation
import OnsideAPI
import Testing

@Suite("Bytes on the wire", .timeLimit(.minutes(5)))
struct WireTests {
  @Test("Bytes of every length come back, in base64url without padding")
  func roundTrip() throws {
    for count in 0...66 {
      let value = WireBytes((0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 251) })
      #expect(!value.description.contains { "+/=".contains($0) })
      #expect(WireBytes(value.description) == value)
    }
    #expect(WireBytes([0xfb, 0xff]).description == "-_8")
  }

  @Test("A second text for the same bytes is refused", arguments: ["-_9", "+/8", "-_8=", "A", "-_8 ", "é", "-_8\n"])
  func canonical(text: String) { #expect(WireBytes(text) == nil) }

  @Test("An enrolment's id has 16 bytes")
  func enrolment() {
    #expect(VaultEnrolmentID("AAAAAAAAAAAAAAAAAAAAAA") != nil)
    #expect(VaultEnrolmentID("AAAAAAAAAAAAAAAAAAAA") == nil)
    #expect(VaultEnrolmentID("AAAAAAAAAAAAAAAAAAAAAB") == nil)
  }
}
