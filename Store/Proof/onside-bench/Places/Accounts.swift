import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import OnsideAPI

/// Accounts of the store, each made by a real login: pages, one-time code, authorization code with PKCE.
enum Accounts {
  static let redirect = "http://127.0.0.1:9/callback"

  /// Distinct phone numbers, in ranges small enough for the store's limits.
  static func phones(_ count: Int) -> [String] {
    (0..<count).map { "+3161\($0 % 8)\(String(format: "%06d", 234_000 + $0 / 8))" }
  }

  /// Logs users in; the tokens are in the order of the numbers.
  static func logIn(_ phones: [String], at store: ServerProcess) async throws -> [TokenMessage] {
    let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
    do {
      var tokens: [TokenMessage] = []
      for phone in phones { tokens.append(try await logIn(phone, at: store, with: client)) }
      try await client.shutdown()
      return tokens
    } catch {
      try await client.shutdown()
      throw error
    }
  }

  private static func logIn(_ phone: String, at store: ServerProcess, with client: HTTPClient) async throws
    -> TokenMessage
  {
    let verifier = Base64URL.encode(Platform.randomBytes(32))
    let query = FormEncoding.encode([
      ("response_type", "code"), ("client_id", ExampleShop.app), ("redirect_uri", redirect), ("state", "bench"),
      ("code_challenge", Base64URL.encode(SHA256.hash(data: Array(verifier.utf8)))), ("code_challenge_method", "S256"),
    ])
    guard let page = URL(string: "\(try store.address)\(Route.authorize.path)?\(query)") else {
      throw BenchFailure("no address for the login")
    }
    var visitor = Visitor(store: store, client: client)
    let back = try await visitor.logIn(at: page, phone: phone, redirect: redirect)
    let answer = URLComponents(url: back, resolvingAgainstBaseURL: false)?.queryItems ?? []
    guard let code = answer.first(where: { $0.name == "code" })?.value else {
      throw BenchFailure("the login of \(phone) gave no code: \(back)")
    }
    return try await exchange(code, verifier: verifier, at: store, with: client)
  }

  private static func exchange(
    _ code: String, verifier: String, at store: ServerProcess, with client: HTTPClient
  ) async throws -> TokenMessage {
    var request = HTTPClientRequest(url: "\(try store.address)\(Route.token.path)")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    request.body = .bytes(
      ByteBuffer(
        string: FormEncoding.encode([
          ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
          ("redirect_uri", redirect), ("client_id", ExampleShop.app),
        ])))
    let response = try await client.execute(request, timeout: .seconds(10))
    let body = try await response.body.collect(upTo: 1 << 16)
    guard response.status == .ok else { throw BenchFailure("the token endpoint answered: \(String(buffer: body))") }
    return try WireCoding.decoder().decode(TokenMessage.self, from: Data(body.readableBytesView))
  }
}
