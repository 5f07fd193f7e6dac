package import Foundation
import OnsideAPI

/// The HTTP client of one app for one store: builds addresses and headers, codes JSON, maps statuses to errors.
package struct StoreConnection: Sendable {
  /// How long a call may take, in seconds (PRD-5).
  package static let deadline = 15.0

  package let store: URL
  package let app: String
  private let transport: any HTTPTransport

  package init(store: URL, app: String, transport: any HTTPTransport) {
    self.store = store
    self.app = app
    self.transport = transport
  }

  /// A call to the store.
  package struct Call: Sendable {
    var method: Route.Method
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: [String: String] = [:]
    var body: Body?
    var token: AccessToken?
    var deadline = StoreConnection.deadline

    init(_ route: Route, path: String? = nil) {
      method = route.method
      self.path = path ?? route.path
    }
  }

  /// The body of a call.
  package enum Body: Sendable {
    case json(any Encodable & Sendable)
    case form([(name: String, value: String)])
  }

  /// The address of a path of the store.
  package func address(_ path: String, query: [(name: String, value: String)] = []) -> URL {
    let base = store.absoluteString
    let text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    return (URL(string: text) ?? store).adding(query)
  }

  /// The decoded answer of a call.
  package func value<Answer: Decodable & Sendable>(
    _ call: Call, as type: Answer.Type = Answer.self
  ) async throws(StoreError) -> Answer {
    let body = try await answer(call)
    do {
      return try WireCoding.decoder().decode(Answer.self, from: body)
    } catch {
      throw .internalError("expected \(Answer.self) from \(call.path), got something else: \(error)")
    }
  }

  /// The body of a successful answer.
  @discardableResult
  package func answer(_ call: Call) async throws(StoreError) -> Data {
    let answer = try await exchange(call)
    guard (200..<300).contains(answer.status) else { throw StoreError(answer, of: call.path) }
    return answer.body
  }

  /// The store's answer with any status. Throws when the answer is not recognisably the store's: a proxy or a captive
  /// portal may answer anything, and only an answer of the store is final (QUE-23). No caller treats 429 or 5xx as
  /// final, so these are also taken from a proxy.
  package func exchange(_ call: Call) async throws(StoreError) -> HTTPAnswer {
    var headers = call.headers
    headers[WireHeader.app] = app
    headers["Accept"] = "application/json, application/jose, application/problem+json"
    if let token = call.token { headers["Authorization"] = "Bearer \(token.revealed)" }
    var request = HTTPRequest(
      method: call.method.rawValue, url: address(call.path, query: call.query), deadline: call.deadline)
    switch call.body {
    case .json(let value):
      headers["Content-Type"] = "application/json"
      do { request.body = try WireCoding.encoder().encode(value) } catch { throw .internalError("\(error)") }
    case .form(let pairs):
      headers["Content-Type"] = "application/x-www-form-urlencoded"
      request.body = Data(FormEncoding.encode(pairs).utf8)
    case nil:
      // Without a body URLSession sends a POST of unknown length.
      if call.method == .post { request.body = Data() }
    }
    request.headers = headers
    let answer = try await transport.send(request)
    guard answer.isOfStore || answer.status == 429 || answer.status >= 500 else {
      throw .notTheStore(
        """
        expected an answer of the store from \(store.host() ?? "")\(call.path), got status \(answer.status) without \
        the header \(WireHeader.store). A proxy or a captive portal may have answered, or the address is not a store's
        """)
    }
    return answer
  }
}

extension HTTPAnswer {
  /// True if the answer has the store's header or a known problem code.
  package var isOfStore: Bool {
    if headers[WireHeader.store.lowercased()] != nil { return true }
    guard headers["content-type"]?.lowercased().hasPrefix("application/problem+json") == true,
      let problem = try? WireCoding.decoder().decode(ProblemDetails.self, from: body)
    else { return false }
    return ProblemCode.all.contains(problem.code)
  }
}
