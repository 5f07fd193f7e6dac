import Foundation
import OnsideVerify
import Testing

@Suite("Keys over HTTP", .timeLimit(.minutes(5)))
struct RemoteKeySetHTTPTests {
  /// The key of RFC 7515, appendix A.3, with a `kid`.
  private static let keys = """
    {"keys":[{"kty":"EC","crv":"P-256","kid":"rfc","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
    """
  /// `{"alg":"ES256","kid":"new"}`, `{}`, and a signature that is none.
  private static let history =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6Im5ldyJ9.e30." + String(repeating: "AQEB", count: 21) + "AQ"

  private func code(of server: HTTPServerDouble) async throws -> VerificationError.Code? {
    let keys = try RemoteKeySet(storeURL: server.url)
    let verifier = OnsideVerifier(bundleID: "io.example.lumen", keys: keys)
    let error = await #expect(throws: VerificationError.self) { try await verifier.verifyHistory(Self.history) }
    return error?.code
  }

  @Test("VER-3: the store's keys are asked for at their address")
  func fetched() async throws {
    let server = try HTTPServerDouble { _ in .json(200, Self.keys) }
    let errorCode = try await code(of: server)
    #expect(errorCode == .unknownKey)
    #expect(server.requests.map(\.path) == ["/.well-known/jwks.json"])
  }

  @Test("VER-3: keys from elsewhere are not used: a redirect is no answer")
  func redirected() async throws {
    let other = try HTTPServerDouble { _ in .json(200, Self.keys) }
    let server = try HTTPServerDouble { _ in .redirect(other.url.absoluteString + "/.well-known/jwks.json") }
    let errorCode = try await code(of: server)
    #expect(errorCode == .keysUnavailable)
  }

  @Test("VER-3: another status than 200, and no answer, are no keys")
  func faults() async throws {
    for answer in [HTTPServerDouble.Answer.json(404, Self.keys), .json(500, Self.keys), .none] {
      let errorCode = try await code(of: try HTTPServerDouble { _ in answer })
      #expect(errorCode == .keysUnavailable)
    }
    let secondErrorCode = try await code(of: try HTTPServerDouble { _ in .foreign(200, "<html>", "text/html") })
    #expect(secondErrorCode == .keysUnavailable)
  }
}
