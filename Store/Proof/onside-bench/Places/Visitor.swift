import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OnsideAPI

/// A person with a browser: logs in on the store's pages and comes back with the authorization code.
struct Visitor {
  /// A page, or the address to which it redirects the browser.
  private struct Answer {
    var status: Int
    var location: String?
    var text: String
  }

  let store: ServerProcess
  let client: HTTPClient
  private var cookies: [String: String] = [:]

  init(store: ServerProcess, client: HTTPClient) {
    self.store = store
    self.client = client
  }

  /// Logs in as a phone number, with a new account when it has none; gives the redirect address with its answer.
  mutating func logIn(at page: URL, phone: String, redirect: String) async throws -> URL {
    var answer = try await visit(page.absoluteString, until: redirect)
    for _ in 0..<8 {
      if let location = answer.location, location.hasPrefix(redirect), let url = URL(string: location) { return url }
      let form = try Form(answer.text)
      switch form.field {
      case "phone": answer = try await submit(form, value: phone, until: redirect)
      case "code": answer = try await submit(form, value: await store.code(for: phone), until: redirect)
      default: answer = try await submit(form, value: ExampleShop.country, until: redirect)
      }
    }
    throw BenchFailure("the login does not end; the last page says: \(answer.text.prefix(500))")
  }

  private mutating func submit(_ form: Form, value: String, until redirect: String) async throws -> Answer {
    let body = FormEncoding.encode([("csrf", form.csrf), (form.field, value)])
    return try await visit(form.action, body: body, until: redirect)
  }

  /// Follows redirects within the store.
  private mutating func visit(_ target: String, body: String? = nil, until redirect: String) async throws -> Answer {
    var answer = try await load(target, body: body)
    while let location = answer.location, !location.hasPrefix(redirect) { answer = try await load(location, body: nil) }
    guard answer.status < 400 else { throw BenchFailure("\(target) answered \(answer.status): \(answer.text)") }
    return answer
  }

  private mutating func load(_ target: String, body: String?) async throws -> Answer {
    let address = target.hasPrefix("/") ? try store.address.absoluteString + target : target
    var request = HTTPClientRequest(url: address)
    request.headers.add(name: "Cookie", value: cookies.map { "\($0)=\($1)" }.joined(separator: "; "))
    if let body {
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await client.execute(request, timeout: .seconds(10))
    for cookie in response.headers["Set-Cookie"] {
      let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
    }
    let text = try await response.body.collect(upTo: 1 << 20)
    return Answer(
      status: Int(response.status.code), location: response.headers.first(name: "Location"),
      text: String(buffer: text))
  }
}

/// The form of a login page with an input field. Of a phone number and a country, only the number is filled in.
private struct Form {
  var action: String
  var field: String
  var csrf: String

  init(_ page: String) throws {
    for form in page.matches(of: /(?s)<form\b[^>]*\baction="([^"]*)"[^>]*>(.*?)<\/form>/) {
      guard let csrf = form.2.firstMatch(of: /name="csrf" value="([^"]*)"/),
        let field = ["phone", "code", "country"].first(where: { form.2.contains("name=\"\($0)\"") })
      else { continue }
      self.init(action: String(form.1), field: field, csrf: String(csrf.1))
      return
    }
    throw BenchFailure("expected a page of the login, got: \(page.prefix(1000))")
  }

  private init(action: String, field: String, csrf: String) {
    self.action = action
    self.field = field
    self.csrf = csrf
  }
}
