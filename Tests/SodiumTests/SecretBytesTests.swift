import Sodium
import Testing

@Suite("Secret bytes", .timeLimit(.minutes(5)))
struct SecretBytesTests {
  @Test("print nothing of what they hold")
  func redacted() {
    let secret = SecretBytes(copying: Array("open sesame".utf8))
    #expect("\(secret)" == "redacted")
    #expect(String(reflecting: secret) == "redacted")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("sesame"))
  }

  @Test(
    "are compared by what they hold", arguments: [("one", "one", true), ("one", "two", false), ("one", "ones", false)])
  func comparison(one: String, other: String, equal: Bool) {
    #expect(SecretBytes(copying: Array(one.utf8)).isEqual(to: SecretBytes(copying: Array(other.utf8))) == equal)
  }

  @Test("are joined, and filled up with zeros")
  func joined() {
    let parts = [SecretBytes(copying: [1, 2]), SecretBytes(copying: []), SecretBytes(copying: [3])]
    #expect(SecretBytes(joining: parts).withBytes(Array.init) == [1, 2, 3])
    #expect(SecretBytes(joining: parts, count: 5).withBytes(Array.init) == [1, 2, 3, 0, 0])
  }
}
