package import Foundation

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
