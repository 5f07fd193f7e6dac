import Foundation
import OnsideAPI

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A walk through the store's pages without a browser: cookies and redirects of one origin, until a page leads to the
/// address that ends it.
struct HeadlessPageSession {
  /// Where it is.
  private(set) var address: URL
  private let end: ExpectedRedirect
  private let transport: any HTTPTransport
  private var cookies: [String: String] = [:]

  init(at address: URL, leavingTo end: URL, _ transport: any HTTPTransport) {
    self.address = address
    self.end = ExpectedRedirect(to: end, from: address)
    self.transport = transport
  }

  /// The origin's host, with its port if it has one.
  var domain: String { (address.host() ?? "") + (address.port.map { ":\($0)" } ?? "") }

  /// Loads the page; answers where it left to, if it did.
  mutating func open() async throws -> URL? { try await go(HTTPRequest(method: "GET", url: address, deadline: 20)) }

  /// Sends a form; answers where the store left to, if it did.
  mutating func submit(_ fields: [(name: String, value: String)], to url: URL) async throws -> URL? {
    let request = HTTPRequest(
      method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Data(FormEncoding.encode(fields).utf8), deadline: 20)
    return try await go(request)
  }

  /// A message that the page has for programs.
  mutating func json<Message: Decodable>(_ url: URL) async throws -> Message {
    let request = HTTPRequest(method: "GET", url: url, headers: ["Accept": "application/json"], deadline: 20)
    let answer = try await send(request)
    guard answer.status == 200, let message = try? JSONDecoder().decode(Message.self, from: answer.body) else {
      throw ScreenPresentationError("Expected a challenge at \(url.path()), got status \(answer.status).")
    }
    return message
  }

  /// A file of the origin.
  mutating func text(_ path: String) async throws -> String {
    guard let url = URL(string: path, relativeTo: address)?.absoluteURL else {
      throw ScreenPresentationError("\(path) is no path.")
    }
    let answer = try await send(HTTPRequest(method: "GET", url: url, deadline: 20))
    guard answer.status == 200 else { throw ScreenPresentationError("Expected \(path), got status \(answer.status).") }
    return String(decoding: answer.body, as: UTF8.self)
  }

  private mutating func go(_ first: HTTPRequest) async throws -> URL? {
    var request = first
    for _ in 0..<8 {
      let answer = try await send(request)
      address = request.url
      guard let location = answer.headers["location"] else {
        guard answer.status == 200 else {
          throw ScreenPresentationError("Expected a page at \(address.path()), got status \(answer.status).")
        }
        return nil
      }
      guard let next = URL(string: location, relativeTo: address)?.absoluteURL else {
        throw ScreenPresentationError("The store redirects to what is no address.")
      }
      if end.accepts(next) { return next }
      guard next.scheme == address.scheme, next.host() == address.host(), next.port == address.port else {
        throw ScreenPresentationError("The store redirects to \(next.host() ?? "another place").")
      }
      request = HTTPRequest(method: "GET", url: next, deadline: 20)
    }
    throw ScreenPresentationError("The store redirects without end.")
  }

  private mutating func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    var request = request
    if !cookies.isEmpty {
      request.headers["Cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
        separator: "; ")
    }
    let answer = try await transport.send(request)
    for cookie in HTTPCookie.cookies(withResponseHeaderFields: answer.cookieFields, for: request.url) {
      cookies[cookie.name] = cookie.value.isEmpty ? nil : cookie.value
    }
    return answer
  }
}

extension HTTPAnswer {
  fileprivate var cookieFields: [String: String] { headers["set-cookie"].map { ["Set-Cookie": $0] } ?? [:] }
}
