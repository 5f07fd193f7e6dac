import Foundation
import HTTPTypes
import OnsideAPI
import StoreWeb
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct APIKeyTests {
  private static let id = "00112233445566ff"
  private static let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private static let other = "_-ECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private static let secrets = [secret, other]
  private static let otherForms: [String?] = [
    nil, "", "Bearer", "onsk_\(id)_\(secret)", "Basic onsk_\(id)_\(secret)", "Bearer onsk_\(id)", "Bearer onsk__",
    "Bearer onsp_\(id)_\(secret)", "Bearer onsk_\(id.uppercased())_\(secret)", "Bearer onsk_\(id)0_\(secret)",
    "Bearer onsk_\(id)_\(secret)A", "Bearer onsk_\(id)_\(secret.dropLast())", "Bearer  onsk_\(id)_\(secret)",
    "Bearer onsk_\(id)_\(secret.dropLast())+",
  ]
  private static let time = Date(timeIntervalSince1970: 1_800_000_000)

  private func token(_ secret: String) throws -> APIKeyToken {
    try #require(APIKeyToken(text: "onsk_\(Self.id)_\(secret)"))
  }

  private func key(_ secrets: [(secret: String, validUntil: Date?)]) throws -> APIKey {
    APIKey(
      id: Self.id, app: "io.example.lumen", name: "", scopes: [.read], createdAt: Self.time, lastUsedAt: nil,
      secrets: try secrets.map { APIKeySecret(hash: try token($0.secret).hash, validUntil: $0.validUntil) })
  }

  @Test("a token is parsed and written, also with underscores in its secret", arguments: secrets)
  func parsing(secret: String) {
    let text = "onsk_\(Self.id)_\(secret)"
    let token = APIKeyToken(authorization: "Bearer \(text)")
    #expect(token?.id == Self.id)
    #expect(token?.text == text)
  }

  @Test("another form is rejected", arguments: otherForms)
  func otherForm(header: String?) {
    #expect(APIKeyToken(authorization: header) == nil)
  }

  @Test("a token prints as redacted, and its hash has nothing of the secret")
  func printing() throws {
    let token = try token(Self.secret)
    var dumped = ""
    dump(token, to: &dumped)
    #expect("\(token)" == "redacted")
    #expect(String(reflecting: token) == "redacted")
    #expect(!dumped.contains(Self.secret))
    #expect(!token.hash.contains(Self.secret))
  }

  @Test("both secrets of a rotated key are valid until the end of the older one")
  func rotation() throws {
    let end = Self.time + APIKey.overlap
    let key = try key([(Self.other, nil), (Self.secret, end)])
    let (old, new) = (try token(Self.secret), try token(Self.other))
    let before = try key.caller(old, at: end - 1)
    #expect(before == APIKeyCaller(app: "io.example.lumen", key: Self.id, scopes: [.read]))
    #expect(throws: APIKeyRejection.replaced(id: Self.id, at: end)) { try key.caller(old, at: end) }
    let after = try key.caller(new, at: end)
    #expect(after == before)
    #expect(key.olderSecretEnd == end)
  }

  @Test("another secret is rejected")
  func otherSecret() throws {
    let key = try key([(Self.secret, nil)])
    let token = try token(Self.other)
    #expect(throws: APIKeyRejection.secret(id: Self.id)) { try key.caller(token, at: Self.time) }
  }

  @Test("scopes are written in a fixed order and read again, unknown ones too")
  func scopes() {
    let scopes: Set<APIKeyScope> = [.finance, .read, APIKeyScope(rawValue: "later")]
    #expect(scopes.text == "read,finance,later")
    #expect(Set(stored: scopes.text) == scopes)
  }

  @Test("the answer to a rejected key names the id, and of the scopes those of the key and the required one")
  func problems() {
    let caller = APIKeyCaller(app: "io.example.lumen", key: Self.id, scopes: [.read])
    let missing = APIKeyRejection.scope(.finance, of: caller).problem
    #expect(missing.status == .forbidden)
    #expect(missing.detail == "Expected an API key with the scope finance; \(Self.id) has read.")
    let rejections: [APIKeyRejection] = [
      .id(Self.id), .secret(id: Self.id), .replaced(id: Self.id, at: Self.time),
    ]
    for problem in rejections.map(\.problem) {
      #expect(problem.status == .unauthorized)
      #expect(problem.code == .invalidAPIKey)
      #expect(problem.detail?.contains(Self.id) == true)
    }
  }

  @Test("a noted use stays until it was written, and a later one stays after that")
  func uses() {
    let uses = APIKeyUses()
    uses.note("a", at: Self.time)
    uses.note("b", at: Self.time)
    let written = uses.waiting
    uses.note("b", at: Self.time + 1)
    uses.note("b", at: Self.time)
    uses.forget(written)
    #expect(uses.waiting == ["b": Self.time + 1])
  }
}
