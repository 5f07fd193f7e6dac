import Foundation
import HTTPTypes
import OnsideAPI
import StoreTestSupport

@testable import OnsideStore
@testable import StorePayments
@testable import StoreWeb

/// Makes requests that are wrong in many ways, the same ones from the same seed.
struct Fuzzer: RandomNumberGenerator {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// A text of the kind that breaks programs.
  mutating func text() -> String {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return pick(Self.nasty)
    case 1: return String(repeating: pick(["a", "é", "🦊", "%", "/", "\u{202e}"]), count: pick([1, 255, 4096, 20_000]))
    case 2: return pick(Self.numbers)
    default:
      let bytes = (0..<Int.random(in: 0..<40, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The same text so that it can stand in an address; sometimes not quite.
  mutating func inAddress() -> String {
    let text = String(text().prefix(2000))
    if chance(10) { return pick(["%", "%zz", "%00", "%ff", "..", "//", "a b", "[]", ";", "&&&=", "="]) }
    let kept = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: kept) ?? "x"
  }

  /// The same text as a header may carry it.
  mutating func inHeader() -> String {
    String(String.UnicodeScalarView(text().prefix(4000).unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }))
  }

  static let numbers = [
    "0", "-1", "-0", "1e400", "1E-400", "0.1", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "123456789012345678901234567890123456789012345678901234567890", "0x10", "NaN", "1_000", "٣",
    "2147483648", "30",
  ]

  private static let nasty = [
    "", " ", "null", "true", "'", "\"", "\\", "'; DROP TABLE orders; --", "<script>alert(1)</script>", "{{name}}",
    "{{{html}}}", "{{#products}}", "../../etc/passwd", "\u{0}", "\r\nX-Evil: 1", "\u{feff}", "\u{d7ff}", "%s%s%n", "NL",
    "XX", "nl", "EUR", "gold", "io.example.lumen", "http://127.0.0.1:80/callback", "javascript:alert(1)",
    "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "2026-02-30T25:61:61Z",
    "de,en;q=0.5",
    "+31612345678", "999999", "Bearer", "Bearer ", "Basic YTpi", "eyJhbGciOiJub25lIn0.e30.", "card_succeeds", "499 EUR",
    "99999999999999999999 EUR", "-1 EUR",
  ]
}

extension Fuzzer {
  /// A right request, made wrong here and there.
  mutating func spoil(_ probe: inout Probe, names: [String], in world: InterfaceWorld) {
    if chance(30) { spoilPath(&probe) }
    for name in names where chance(40) {
      probe.uri += (probe.uri.contains("?") ? "&" : "?") + "\(name)=\(inAddress())"
    }
    if chance(60) { probe.bearer(world.token(InterfaceWorld.user)) }
    if chance(60) { probe.headers[.onsideApp] = InterfaceWorld.app }
    for _ in 0..<Int.random(in: 0...2, using: &self) {
      guard let name = HTTPField.Name(pick(Self.headers)) else { continue }
      probe.headers[name] = inHeader()
    }
    if probe.method == .post { spoilBody(&probe) }
    if chance(70) {
      probe.headers[.sandboxSignature] = SandboxSignature.of(
        Array(probe.body.utf8), key: world.store.core.sandboxProviderKey)
    }
  }

  private mutating func spoilPath(_ probe: inout Probe) {
    var parts = probe.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var segments = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    segments[Int.random(in: 1..<segments.count, using: &self)] = inAddress()
    parts[0] = segments.joined(separator: "/")
    probe.uri = parts.joined(separator: "?")
  }

  private mutating func spoilBody(_ probe: inout Probe) {
    switch Int.random(in: 0..<8, using: &self) {
    case 0: probe.body = text()
    case 1: probe.body = String(probe.body.prefix(Int.random(in: 0...probe.body.count, using: &self)))
    case 2: probe.body = String(repeating: pick(["[", "{\"a\":", "a=b&", "0"]), count: 20_000)
    case 3: probe.body = "{\"\(pick(Self.keys))\":\(pick(Self.numbers + ["{}", "[]", "null", "true", "\"\""]))}"
    case 4: probe.body = probe.body.replacing("1", with: pick(Self.numbers))
    case 5: probe.body = Self.keys.map { "\($0)=\(inAddress())" }.joined(separator: "&")
    case 6: probe.body = probe.body.replacing("gold", with: inAddress()).replacing("NL", with: inAddress())
    default: probe.body += text()
    }
    if chance(30) { probe.headers[.contentType] = pick(Self.types) }
  }

  static let keys = [
    "product_id", "country", "quantity", "app_account_token", "language", "event_id", "type", "payment_id", "order_id",
    "amount", "currency",
    "grant_type", "code", "client_id", "redirect_uri", "refresh_token", "code_verifier", "token", "csrf", "phone",
    "price",
    "method", "answer", "remove", "product",
  ]

  private static let headers = [
    "Authorization", "Onside-App", "Idempotency-Key", "Content-Type", "Accept-Language", "Accept", "Cookie", "Host",
    "Origin",
    "Sec-Fetch-Site", "X-Forwarded-For", "Content-Length", "If-None-Match", "Range",
  ]

  private static let types = [
    "text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=utf-16",
    "application/json",
    "application/x-www-form-urlencoded", ";", "",
  ]
}
