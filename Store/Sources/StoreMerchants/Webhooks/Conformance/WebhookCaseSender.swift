import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends the requests of cases over HTTP: without redirects, and with 15 seconds for each answer.
package struct WebhookCaseSender: Sendable {
  /// Seconds until an answer counts as missing.
  private static let timeout: Int64 = 15

  // It lives as long as the process, as `HTTPClient.shared` does, which follows redirects.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  private let url: String

  /// - Parameter url: the address of the receiver.
  package init(url: String) { self.url = url }

  /// Sends a request.
  package func send(_ request: WebhookCaseRequest) async -> WebhookCaseAnswer {
    let clock = ContinuousClock()
    let start = clock.now
    do {
      let response = try await Self.client.execute(httpRequest(request), timeout: .seconds(Self.timeout))
      return WebhookCaseAnswer(status: Int(response.status.code), took: clock.now - start)
    } catch let error as HTTPClientError where [.deadlineExceeded, .connectTimeout].contains(error) {
      return WebhookCaseAnswer(
        status: nil, failure: "no answer within \(Self.timeout) seconds", took: clock.now - start)
    } catch {
      return WebhookCaseAnswer(status: nil, failure: "no answer: \(error)", took: clock.now - start)
    }
  }

  private func httpRequest(_ request: WebhookCaseRequest) -> HTTPClientRequest {
    var http = HTTPClientRequest(url: url)
    http.method = .POST
    http.headers.add(name: "Content-Type", value: "application/json")
    http.headers.add(name: "User-Agent", value: "OnsideStore")
    http.headers.add(name: "webhook-id", value: request.id)
    http.headers.add(name: "webhook-timestamp", value: "\(WebhookSignature.seconds(request.timestamp))")
    http.headers.add(name: "webhook-signature", value: request.signature)
    // A connection for each request, so that no answer depends on the request before.
    http.headers.add(name: "Connection", value: "close")
    let body = ByteBuffer(bytes: request.body)
    http.body =
      request.pause == .zero
      ? .bytes(body)
      : .stream(Self.delayed(body, by: request.pause), length: .known(Int64(request.body.count)))
    return http
  }

  private static func delayed(_ body: ByteBuffer, by pause: Duration) -> AsyncStream<ByteBuffer> {
    AsyncStream { continuation in
      let task = Task {
        try? await Task.sleep(for: pause)
        continuation.yield(body)
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
