import Crypto
import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import Testing

@Suite("Signed documents", .timeLimit(.minutes(5)))
struct SignedDocumentTests {
  private let key = TestKey("2026-a")
  private let payload = Data(#"{"transactions":[]}"#.utf8)

  @Test("VER-1: the payload of a document with a right signature is returned, byte for byte")
  func right() throws {
    let keys = try keySet(TestKey("other"), key)
    let actualPayload = try keys.payload(of: try key.sign(payload))
    #expect(actualPayload == payload)
    let bytes = Data((0...255).map { UInt8($0) })
    let secondPayload = try keys.payload(of: try key.sign(bytes))
    #expect(secondPayload == bytes)
    #expect(try keys.payload(of: try key.sign(Data())).isEmpty)
  }

  @Test("VER-1: a document with any character changed is refused")
  func everyCharacter() throws {
    let keys = try keySet(key)
    let text = try key.sign(payload)
    for index in text.utf8.indices {
      for change in ["A", "_", "=", " ", "é", ""] {
        var changed = text
        changed.replaceSubrange(index...index, with: change)
        guard changed != text else { continue }
        #expect(throws: VerificationError.self, "\(index) \(change)") { try keys.payload(of: changed) }
      }
    }
  }

  @Test(
    "VER-1: another algorithm than ES256 is refused, though the signature is one of ES256",
    arguments: ["none", "None", "HS256", "RS256", "ES384", "es256", "", "\n“"])
  func algorithms(name: String) throws {
    let keys = try keySet(key)
    #expect(code { try keys.payload(of: try key.sign(payload, header: ["alg": name])) } == .unsupportedAlgorithm)
  }

  @Test("VER-1: a symmetric signature with the public key, and no signature, are refused")
  func confusion() throws {
    let keys = try keySet(key)
    let header = Base64URL.encode(Array(#"{"alg":"HS256","kid":"2026-a"}"#.utf8))
    let message = header + "." + Base64URL.encode(payload)
    for secret in [key.privateKey.publicKey.rawRepresentation, key.privateKey.publicKey.x963Representation] {
      let tag = HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: SymmetricKey(data: secret))
      #expect(throws: VerificationError.self) { try keys.payload(of: message + "." + Base64URL.encode(Array(tag))) }
    }
    let unsigned = Base64URL.encode(Array(#"{"alg":"none","kid":"2026-a"}"#.utf8)) + "." + Base64URL.encode(payload)
    for end in ["", "."] { #expect(throws: VerificationError.self) { try keys.payload(of: unsigned + end) } }
    let zero = Base64URL.encode([UInt8](repeating: 0, count: 64))
    let parts = try key.sign(payload).split(separator: ".")
    #expect(throws: VerificationError.self) { try keys.payload(of: "\(parts[0]).\(parts[1]).\(zero)") }
  }

  @Test("VER-1: a key that the document brings along is not used")
  func ownKey() throws {
    let keys = try keySet(key)
    let forger = TestKey("2026-a")
    let text = try forger.sign(payload, header: ["jwk": forger.jwk, "jku": "https://example.com/keys"])
    #expect(code { try keys.payload(of: text) } == .wrongSignature)
  }

  @Test("VER-1: an unknown kid is named, so that keys are fetched anew; the other keys are not tried")
  func unknownKey() throws {
    let keys = try keySet(key)
    let error = #expect(throws: VerificationError.self) {
      try keys.payload(of: try key.sign(payload, header: ["kid": "2027-a"]))
    }
    #expect(error?.code == .unknownKey && error?.unknownKeyID == "2027-a")
    #expect(code { try keys.payload(of: try key.sign(payload, header: ["kid": NSNull()])) } == .unknownKey)
    #expect(code { try keys.payload(of: try key.sign(payload, header: ["kid": 7])) } == .malformed)
  }

  @Test("VER-1: a list is no history, and a history is no list")
  func types() throws {
    let keys = try keySet(key)
    let list = try key.sign(payload, header: ["typ": EntitlementList.type])
    let actualPayload = try keys.payload(of: list, type: EntitlementList.type)
    #expect(actualPayload == payload)
    #expect(code { try keys.payload(of: list) } == .wrongType)
    #expect(code { try keys.payload(of: try key.sign(payload), type: EntitlementList.type) } == .wrongType)
    #expect(code { try keys.payload(of: try key.sign(payload, header: ["typ": "JWT"])) } == .wrongType)
  }

  @Test("VER-1: a header that demands an extension is refused")
  func critical() throws {
    let keys = try keySet(key)
    for value: Any in [["b64"], [String](), NSNull(), "b64"] {
      let text = try key.sign(payload, header: ["crit": value, "b64": false])
      #expect(code { try keys.payload(of: text) } == .unsupportedExtension)
    }
  }

  @Test("VER-1: a document that is too large is refused before it is read")
  func large() throws {
    let keys = try keySet(key)
    let text = try key.sign(payload)
    let actualPayload = try keys.payload(of: text, maximumSize: text.utf8.count)
    #expect(actualPayload == payload)
    #expect(code { try keys.payload(of: text, maximumSize: text.utf8.count - 1) } == .tooLarge)
    let padded = try key.sign(payload, header: ["padding": String(repeating: "a", count: 4096)])
    #expect(code { try keys.payload(of: padded) } == .malformed)
  }

  @Test("What a description quotes is short and printable, and holds neither payload nor signature")
  func descriptions() throws {
    let keys = try keySet(key)
    let long = "\u{1b}[31m\n" + String(repeating: "ü", count: 1000)
    let text = try key.sign(payload, header: ["kid": long])
    let error = #expect(throws: VerificationError.self) { try keys.payload(of: text) }
    let description = try #require(error?.description)
    #expect(description.count < 250 && !description.contains("\u{1b}") && !description.contains("\n"))
    for part in text.split(separator: ".") { #expect(!description.contains(part)) }
  }

  @Test("VER-1: random changes of a document are refused, and trap nowhere", arguments: 0..<8)
  func randomChanges(seed: UInt64) throws {
    let keys = try keySet(key)
    var random = SeededRandom(seed: seed)
    let text = Array(try key.sign(payload).utf8)
    for _ in 0..<500 {
      var changed = text
      for _ in 0..<random.pick(1...4) { changed.change(using: &random) }
      guard changed != text else { continue }
      let document = String(decoding: changed, as: UTF8.self)
      #expect(throws: VerificationError.self, "\(document)") { try keys.payload(of: document) }
    }
  }
}

extension [UInt8] {
  /// One of the changes that a fuzzer makes: a byte, a part taken out, doubled or moved, a dot.
  fileprivate mutating func change(using random: inout SeededRandom) {
    guard !isEmpty else { return append(UInt8(random.pick(0...255))) }
    let place = random.pick(0...(count - 1))
    let part = place..<Swift.min(count, place + random.pick(1...20))
    switch random.pick(0...4) {
    case 0: self[place] = UInt8(random.pick(0...255))
    case 1: removeSubrange(part)
    case 2: insert(contentsOf: self[part], at: place)
    case 3: insert(UInt8(ascii: "."), at: place)
    default: swapAt(place, random.pick(0...(count - 1)))
    }
  }
}
