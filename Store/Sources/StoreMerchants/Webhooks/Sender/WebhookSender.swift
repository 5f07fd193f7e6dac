import NIOSSL
import StoreBase
import StoreWeb
import Tracing

/// Sends webhooks over HTTP/1.1, each to an address that was checked: it resolves the name of an endpoint once and
/// connects to this address, so a name cannot change between the check and the connection (DNS rebinding).
///
/// It follows no redirects, uses no proxies and keeps no cookies. Connections close when the last copy is released.
package struct WebhookSender: WebhookSending {
  private let isSandbox: Bool
  private let limit: Duration
  private let routes: WebhookRoutes

  /// - Parameters:
  ///   - isSandbox: True if the store is a sandbox, whose endpoints may have `http`.
  ///   - limit: The time limit of an exchange with the lookup of the name and the answer.
  package init(isSandbox: Bool, limit: Duration = .seconds(15)) {
    self.init(isSandbox: isSandbox, limit: limit, tls: nil, addresses: HostAddresses.of)
  }

  /// - Parameters:
  ///   - tls: The settings of TLS connections; nil for the system's trusted certificates.
  ///   - addresses: The lookup of a name; it may block.
  init(
    isSandbox: Bool, limit: Duration, tls: TLSConfiguration?, addresses: @escaping @Sendable (String) -> [IPAddress]
  ) {
    self.isSandbox = isSandbox
    self.limit = limit
    routes = WebhookRoutes(tls: tls, addresses: addresses)
  }

  package func send(_ request: WebhookRequest) async -> WebhookAttempt {
    let span = StoreSpan.startChild("webhook POST", ofKind: .client)
    defer { span?.end() }
    let attempt = await untraced(request)
    if let status = attempt.status { span?.attributes["http.response.status_code"] = status }
    if attempt.outcome != .delivered { span?.setStatus(SpanStatus(code: .error)) }
    return attempt
  }

  private func untraced(_ request: WebhookRequest) async -> WebhookAttempt {
    let start = ContinuousClock.now
    guard
      let address = try? WebhookAddress(request.url, allowsPrivate: request.allowsPrivate, isSandbox: isSandbox)
    else { return WebhookAttempt(outcome: .addressRejected, took: .zero) }
    let exchange = WebhookExchange(request: request, address: address, routes: routes)
    let failure = await exchange.run(until: start + limit)
    return exchange.answer.attempt(failure: failure, took: start.duration(to: .now))
  }
}
