import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Stellar
import Testing

@testable import OnsideStore

/// SEP-1 and SEP-10 from a script on a page of another site.
@Suite("Login with a wallet: from other sites' pages", .timeLimit(.minutes(5)))
struct WalletCrossOriginTests {
  private static let auth = "/v1/wallet/auth"
  private let asked: HTTPFields = [
    .origin: "https://shop.example", .accessControlRequestMethod: "POST", .accessControlRequestHeaders: "content-type",
  ]

  @Test("WAL-15: the browser's preflight is answered", arguments: [auth, "/.well-known/stellar.toml"])
  func preflight(path: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let answer = try await client.execute(uri: path, method: .options, headers: asked)
      #expect(answer.status == .noContent && answer.headers[.accessControlAllowOrigin] == "*")
      #expect(answer.headers[.accessControlAllowHeaders] == "Content-Type")
      let methods = answer.headers[.accessControlAllowMethods] ?? ""
      #expect(methods.contains("GET") && methods.contains("POST") == (path == Self.auth))
    }
  }

  @Test("WAL-15: every answer may be read by every page, refusals too")
  func everyAnswer() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let json: HTTPFields = [.contentType: "application/json"]
      let challenge = Self.auth + "?account=" + SigningKeyPair.random().address
      let requests: [(String, HTTPRequest.Method, HTTPFields, String, Int)] = [
        ("/.well-known/stellar.toml", .get, [:], "", 200), ("/.well-known/stellar.toml", .put, [:], "", 405),
        (challenge, .get, [:], "", 200), (Self.auth, .get, [:], "", 400), (Self.auth, .post, json, "{}", 400),
        (Self.auth, .post, json, #"{"transaction":"AAAA"}"#, 400), (Self.auth, .delete, [:], "", 405),
        (Self.auth, .post, [.contentType: "text/plain"], "x", 415),
        (Self.auth, .post, json, String(repeating: " ", count: 70_000), 413),
      ]
      for (uri, method, headers, body, status) in requests {
        let answer = try await client.execute(
          uri: uri, method: method, headers: headers, body: ByteBuffer(string: body))
        #expect(answer.status.code == status, "\(method) \(uri)")
        #expect(answer.headers[.accessControlAllowOrigin] == "*", "\(method) \(uri)")
      }
      var limited = try await client.execute(uri: challenge, method: .get)
      for _ in 0..<101 { limited = try await client.execute(uri: challenge, method: .get) }
      #expect(limited.status == .tooManyRequests && limited.headers[.accessControlAllowOrigin] == "*")
      #expect(limited.headers[.accessControlExposeHeaders] == "Retry-After" && limited.headers[.retryAfter] != nil)
    }
  }

  @Test("WAL-15: nothing else of the store is for other sites' pages")
  func others() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for path in ["/v1/products", "/healthz", "/oauth/token"] {
        let answer = try await client.execute(uri: path, method: .get)
        #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(path)")
      }
    }
  }
}
