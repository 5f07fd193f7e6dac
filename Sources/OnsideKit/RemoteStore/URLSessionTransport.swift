import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP over one `URLSession` without cookies, cache, credentials or redirects.
package final class URLSessionTransport: HTTPTransport {
  /// The largest answer that is taken, in bytes.
  package static let answerLimit = 16 * 1024 * 1024

  private let session: URLSession
  private let sleep: @Sendable (Double) async throws -> Void

  package init(sleep: @escaping @Sendable (Double) async throws -> Void) {
    self.sleep = sleep
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // The deadline of each request is kept here, by the clock that was given; these only catch what it misses.
    configuration.timeoutIntervalForRequest = 120
    configuration.timeoutIntervalForResource = 180
    session = URLSession(configuration: configuration)
  }

  // A session lives until it is invalidated, whoever still refers to it.
  deinit { session.finishTasksAndInvalidate() }

  package func send(_ request: HTTPRequest) async throws(StoreError) -> HTTPAnswer {
    let call = Self.urlRequest(request)
    do {
      let answer = try await withDeadline(request.deadline, sleep: sleep) { [session] in
        try await session.data(for: call, delegate: RedirectRefuser())
      }
      try Task.checkCancellation()
      guard let (body, response) = answer, let response = response as? HTTPURLResponse else {
        throw StoreError.connection
      }
      guard body.count <= Self.answerLimit else {
        throw StoreError.internalError("expected an answer of at most \(Self.answerLimit) bytes, got \(body.count)")
      }
      return HTTPAnswer(status: response.statusCode, body: body)
    } catch let error as StoreError {
      throw error
    } catch {
      throw Task.isCancelled ? .cancelled : .connection
    }
  }

  private static func urlRequest(_ request: HTTPRequest) -> URLRequest {
    var call = URLRequest(url: request.url)
    call.httpMethod = request.method
    call.httpBody = request.body
    for (name, value) in request.headers { call.setValue(value, forHTTPHeaderField: name) }
    return call
  }
}

/// Takes a redirect as the answer that it is: nothing that we call redirects, and tokens go nowhere else.
private final class RedirectRefuser: NSObject, URLSessionTaskDelegate, Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
