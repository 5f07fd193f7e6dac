package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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

/// HTTP over one `URLSession` without cookies, cache, credentials or redirects.
package final class URLSessionTransport: HTTPTransport {
  /// The maximum size of an answer, in bytes.
  package static let answerLimit = 16 * 1024 * 1024

  private let session = Mutex<URLSession?>(nil)
  private let exchanges = HTTPExchanges(limit: URLSessionTransport.answerLimit)
  private let sleep: @Sendable (Double) async throws -> Void

  package init(sleep: @escaping @Sendable (Double) async throws -> Void) { self.sleep = sleep }

  // A session lives until it is invalidated, even when no reference to it is left.
  deinit { session.withLock { $0?.finishTasksAndInvalidate() } }

  package func send(_ request: HTTPRequest) async throws(StoreError) -> HTTPAnswer {
    let call = Self.urlRequest(request)
    do {
      let answer = try await withDeadline(request.deadline, sleep: sleep) { [self] in
        try await exchanges.run(openSession().dataTask(with: call))
      }
      try Task.checkCancellation()
      guard let answer else { throw StoreError.connection }
      return answer
    } catch let error as StoreError {
      throw error
    } catch {
      throw Task.isCancelled ? .cancelled : .connection
    }
  }

  /// The session, created at first use: the first one of a process takes time, for which no launch should wait.
  private func openSession() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let opened = URLSession(configuration: Self.configuration, delegate: exchanges, delegateQueue: nil)
      session = opened
      return opened
    }
  }

  private static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // The deadline of each request is kept here, by the clock that was given; these only catch what it misses.
    configuration.timeoutIntervalForRequest = 120
    configuration.timeoutIntervalForResource = 180
    return configuration
  }

  private static func urlRequest(_ request: HTTPRequest) -> URLRequest {
    var call = URLRequest(url: request.url)
    call.httpMethod = request.method
    call.httpBody = request.body
    for (name, value) in request.headers { call.setValue(value, forHTTPHeaderField: name) }
    return call
  }
}
