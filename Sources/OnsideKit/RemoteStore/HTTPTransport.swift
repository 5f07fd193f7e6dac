package import Foundation
import OnsideAPI

/// Sends one HTTP request. What a store over HTTP needs of a network, and no more.
package protocol HTTPTransport: Sendable {
  /// The answer, whatever its status; redirects are not followed. Throws `.connection` or `.cancelled`.
  func send(_ request: HTTPRequest) async throws(StoreError) -> HTTPAnswer
}

/// A request.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: URL
  package var headers: [String: String]
  package var body: Data?
  /// How long the whole exchange may take, in seconds.
  package var deadline: Double

  package init(
    method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, deadline: Double
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.deadline = deadline
  }
}

/// An answer.
package struct HTTPAnswer: Sendable {
  package var status: Int
  package var headers: [String: String]
  package var body: Data

  package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension HTTPAnswer {
  /// Whether a store has said this: by the header that stands on every answer of one, or by one of its problems.
  package var isOfStore: Bool {
    if headers[WireHeader.store.lowercased()] != nil { return true }
    guard headers["content-type"]?.lowercased().hasPrefix("application/problem+json") == true,
      let problem = try? WireCoding.decoder().decode(ProblemDetails.self, from: body)
    else { return false }
    return ProblemCode.all.contains(problem.code)
  }
}
