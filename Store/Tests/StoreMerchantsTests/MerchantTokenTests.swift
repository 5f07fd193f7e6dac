import Crypto
import Foundation
import HTTPTypes
import OnsideAPI
import StoreWeb
import Testing

@testable import StoreMerchants

@Suite("JWTs of merchants' servers", .timeLimit(.minutes(5)))
struct MerchantTokenTests {
  private static let secret = MerchantSecret("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
  private static let merchant = "01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c"
  private static let time = Date(timeIntervalSince1970: 1_800_000_000)
  private static let header = #"{"alg":"HS256","kid":"00112233445566ff","typ":"JWT"}"#
  private static func token(header: String = header, claims: String, key: SymmetricKey = secret.key) -> String {
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
    let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key)
    return "\(signed).\(Base64URL.encode(Array(code)))"
  }

  /// The claims as JSON, some of them changed; an empty value removes a claim.
  private static func claims(_ changes: [String: String] = [:]) -> String {
    let usual = [
      "iss": #""onside""#, "aud": #""onside""#, "sub": "\"\(merchant)\"", "jti": #""a""#, "exp": "1800000020",
      "nbf": "1799999990",
    ]
    let fields = usual.merging(changes) { $1 }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return "{\(fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
  }

  private static func fault(_ token: String, now: Date = time) -> MerchantTokenFault? {
    do throws(MerchantTokenFault) {
      _ = try MerchantToken(token).claims(secret: secret, merchant: merchant, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test("MER-1: a token of another implementation is accepted, and its jti is remembered until a minute after exp")
  func vector() throws {
    let token = try MerchantToken(authorization: "Bearer \(sampleToken)")
    #expect(token.secretID == "00112233445566ff")
    let claims = try token.claims(secret: Self.secret, merchant: Self.merchant, now: Self.time)
    #expect(claims.rememberedUntil == Self.time + 80)
    let own = Self.token(claims: Self.claims(["jti": #""0c9f6d1e-2b7a-4e53-9a54-6d2f0c1b8e77""#]))
    #expect(own == sampleToken)
    let other = try MerchantToken(Self.token(claims: Self.claims()))
      .claims(secret: Self.secret, merchant: Self.merchant, now: Self.time)
    #expect(other.idHash != claims.idHash)
  }

  @Test(
    "MER-1: without a bearer token the header is missing",
    arguments: [nil, "", "Bearer", "Bearer ", sampleToken, "Basic \(sampleToken)"] as [String?])
  func missing(header: String?) {
    #expect(throws: MerchantTokenFault.missing) { try MerchantToken(authorization: header) }
  }

  @Test(
    "MER-1: another header is rejected: algorithm, kid, typ and crit",
    arguments: [
      (#"{"alg":"none","kid":"00112233445566ff"}"#, .algorithm),
      (#"{"alg":"HS512","kid":"00112233445566ff"}"#, .algorithm),
      (#"{"alg":"hs256","kid":"00112233445566ff"}"#, .algorithm),
      (#"{"alg":"ES256","kid":"00112233445566ff"}"#, .algorithm),
      (#"{"kid":"00112233445566ff"}"#, .claim("alg")), (#"{"alg":256,"kid":"00112233445566ff"}"#, .claim("alg")),
      (#"{"alg":"HS256"}"#, .secretID), (#"{"alg":"HS256","kid":7}"#, .claim("kid")),
      (#"{"alg":"HS256","kid":"00112233445566FF"}"#, .secretID), (#"{"alg":"HS256","kid":"0011"}"#, .secretID),
      (#"{"alg":"HS256","kid":"00112233445566ff\u0000"}"#, .secretID),
      (#"{"alg":"HS256","kid":"00112233445566ff","typ":"at+jwt"}"#, .header),
      (#"{"alg":"HS256","kid":"00112233445566ff","crit":[]}"#, .header),
      (#"{"alg":"HS256","alg":"HS256","kid":"00112233445566ff"}"#, .form), ("[]", .form), ("x", .form), ("", .form),
      (#"{"alg":"HS256","kid":"00112233445566ff"}"#, nil),
      (#"{"alg":"HS256","kid":"00112233445566ff","typ":"jwt"}"#, nil),
    ] as [(String, MerchantTokenFault?)])
  func headers(header: String, fault: MerchantTokenFault?) {
    #expect(Self.fault(Self.token(header: header, claims: Self.claims())) == fault)
  }

  @Test("MER-1: a token without a signature is rejected, with alg none too")
  func unsigned() {
    let claims = Base64URL.encode(Self.claims().utf8)
    let none = Base64URL.encode(#"{"alg":"none","kid":"00112233445566ff"}"#.utf8)
    #expect(Self.fault("\(none).\(claims).") == .algorithm)
    #expect(Self.fault("\(Base64URL.encode(Self.header.utf8)).\(claims).") == .signature)
  }

  @Test("MER-1: another form is rejected, and more than 4096 bytes")
  func forms() {
    let parts = sampleToken.split(separator: ".").map(String.init)
    for text in ["", "a", "a.b", "..", "\(sampleToken).a", "\(parts[0])=.\(parts[1]).\(parts[2])", "\(sampleToken)="] {
      #expect(Self.fault(text) == .form, "\(text)")
    }
    func padded(_ count: Int) -> String {
      Self.token(claims: Self.claims(["jti": "\"\(String(repeating: "a", count: count))\""]))
    }
    let fitting = (2700...2900).map(padded).last { $0.utf8.count <= MerchantToken.maximumSize } ?? ""
    #expect(fitting.utf8.count > MerchantToken.maximumSize - 4 && Self.fault(fitting) == nil)
    #expect(Self.fault(padded(2900)) == .size)
  }

  @Test("MER-1: a changed signature, changed claims and another key are rejected")
  func signatures() {
    let parts = sampleToken.split(separator: ".").map(String.init)
    let bytes = Base64URL.decode(parts[2]) ?? []
    #expect(bytes.count == 32)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(Self.fault("\(parts[0]).\(parts[1]).\(Base64URL.encode(changed))") == .signature)
    }
    for changed in [Array(bytes.dropLast()), bytes + [0], []] {
      #expect(Self.fault("\(parts[0]).\(parts[1]).\(Base64URL.encode(changed))") == .signature)
    }
    #expect(Self.fault("\(parts[0]).\(Base64URL.encode(Self.claims().utf8)).\(parts[2])") == .signature)
    let decoded = SymmetricKey(data: Base64URL.decode(Self.secret.text) ?? [])
    #expect(Self.fault(Self.token(claims: Self.claims(), key: decoded)) == .signature, "the key is the text")
  }

  @Test(
    "MER-1: each claim is required, with its type and value",
    arguments: [
      ("iss", ""), ("iss", #""Onside""#), ("iss", "1"), ("aud", ""), ("aud", #""other""#), ("aud", "[]"),
      ("aud", #"["onside","other"]"#), ("aud", "[1]"), ("sub", ""), ("sub", #""01935b6c""#), ("sub", "null"),
      ("jti", ""), ("jti", #""""#), ("jti", "7"), ("exp", ""), ("exp", #""1800000020""#), ("exp", "true"),
      ("exp", "-1"), ("exp", "1e30"), ("exp", "null"), ("nbf", ""), ("nbf", #""1799999990""#), ("nbf", "-1"),
    ])
  func claims(name: String, value: String) {
    #expect(Self.fault(Self.token(claims: Self.claims([name: value]))) == .claim(name))
  }

  @Test(
    "MER-1: a list with the one audience, fractions of a second and further claims are accepted; names twice are not")
  func otherClaims() {
    let changes = ["aud": #"["onside"]"#, "exp": "1800000019.5", "iat": #""x""#]
    #expect(Self.fault(Self.token(claims: Self.claims(changes))) == nil)
    let repeated = Self.claims().dropLast() + #","sub":"x"}"#
    #expect(Self.fault(Self.token(claims: String(repeated))) == .form)
    #expect(Self.fault(Self.token(claims: "[]")) == .form)
    #expect(Self.fault(Self.token(claims: "")) == .form)
  }

  @Test(
    "MER-1: the time from nbf to exp is more than 0 and at most 30 seconds",
    arguments: [
      ("1800000000", "1800000030", nil), ("1800000000", "1800000030.001", 30.001), ("1800000000", "1800000000", 0),
      ("1800000001", "1800000000", -1), ("0", "1800000000", 1_800_000_000),
    ] as [(String, String, Double?)])
  func window(notBefore: String, expiry: String, seconds: Double?) {
    let fault = Self.fault(Self.token(claims: Self.claims(["nbf": notBefore, "exp": expiry])))
    guard let seconds else {
      #expect(fault == nil)
      return
    }
    guard case .window(let found) = fault else {
      Issue.record("expected a fault of the window, got \(String(describing: fault))")
      return
    }
    #expect(abs(found - seconds) < 0.000_01)
  }

  @Test(
    "MER-1: the clocks may differ by 5 seconds",
    arguments: [(-16, 6, true), (-15, nil, true), (0, nil, true), (24, nil, true), (25, 5, false), (3600, 3580, false)]
      as [(Double, Double?, Bool)])
  func clock(offset: Double, seconds: Double?, isEarly: Bool) {
    let now = Self.time + offset
    let expected: MerchantTokenFault? = seconds.map {
      isEarly ? .early(seconds: $0, now: now) : .expired(seconds: $0, now: now)
    }
    #expect(Self.fault(sampleToken, now: now) == expected)
  }

  @Test("MER-1: the answer names the part that failed; for a clock the difference and the store's time")
  func details() {
    func detail(_ fault: MerchantTokenFault) -> String {
      let problem = fault.problem
      #expect(problem.code == .invalidMerchantToken && problem.status == .unauthorized)
      return problem.detail ?? ""
    }
    let time = "the store's time 2027-01-15T08:00:00Z. Compare the clocks."
    #expect(detail(.expired(seconds: 11.2, now: Self.time)) == "exp is 12 s before \(time)")
    #expect(detail(.early(seconds: 6, now: Self.time)) == "nbf is 6 s after \(time)")
    #expect(detail(.window(seconds: 60)) == "Expected exp after nbf, by at most 30 s; it is 60 s.")
    #expect(detail(.claim("sub")) == "Expected sub as the merchant id of the secret.")
    #expect(detail(.signature).hasPrefix("The signature is not of the secret in kid."))
    #expect(detail(.secretID).contains("kid") && detail(.used).contains("jti"))
  }

  @Test("SEC-1: a secret prints as redacted")
  func printing() {
    var dumped = ""
    dump(Self.secret, to: &dumped)
    for text in ["\(Self.secret)", String(reflecting: Self.secret)] { #expect(text == "redacted") }
    #expect(!dumped.contains(Self.secret.text))
  }
}

/// Made with Python's `hmac` and compared with `openssl dgst -sha256 -hmac`.
private let sampleToken =
  "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAwMTEyMjMzNDQ1NTY2ZmYiLCJ0eXAiOiJKV1QifQ"
  + ".eyJhdWQiOiJvbnNpZGUiLCJleHAiOjE4MDAwMDAwMjAsImlzcyI6Im9uc2lkZSIsImp0aSI6IjBjOWY2ZDFlLTJiN2EtNGU1My05YTU0LTZk"
  + "MmYwYzFiOGU3NyIsIm5iZiI6MTc5OTk5OTk5MCwic3ViIjoiMDE5MzViNmMtMWQyZS03ZjNhLThiNGMtNWQ2ZTdmOGE5YjBjIn0"
  + ".TOTaFgxBW-LiGIjlE3aeMB4Q7xJ2hRj5NHbaCFqKkfc"
