import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import StoreWeb

/// One request to an endpoint and its answer.
struct WebhookExchange: Sendable {
  /// The end of the time limit.
  struct Late: Error {}

  /// The most addresses of a host that are tried.
  private static let addressLimit = 3
  /// The errors of a connection, TLS included, that is not made in time.
  private static let connectionTimeouts: [HTTPClientError] = [
    .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
  ]

  let request: WebhookRequest
  let address: WebhookAddress
  let routes: WebhookRoutes
  let answer = WebhookAnswer()

  /// Runs the exchange. Returns the outcome that holds if there is no status.
  func run(until deadline: ContinuousClock.Instant) async -> WebhookOutcome {
    do {
      return try await withThrowingTaskGroup(of: WebhookOutcome.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await exchange() }
        group.addTask {
          try await Task.sleep(until: deadline, clock: .continuous)
          throw Late()
        }
        return try await group.next() ?? .cancelled
      }
    } catch {
      return Task.isCancelled ? .cancelled : Self.outcome(of: error)
    }
  }

  private func exchange() async throws -> WebhookOutcome {
    let route = try await routes.route(to: address.host)
    defer { withExtendedLifetime(route) {} }
    guard !route.addresses.isEmpty else { return .nameUnknown }
    guard route.addresses.allSatisfy(address.permits) else { return .addressRejected }
    let response = try await response(on: route)
    let retryAfter = response.headers.first(name: "Retry-After")
      .flatMap { RetryAfter.seconds($0, now: request.timestamp) }
    answer.begin(status: Int(response.status.code), retryAfter: retryAfter)
    for try await part in response.body {
      if answer.append(part.readableBytesView) { break }
    }
    return .noAnswer
  }

  /// The head of the answer. The next address is tried only if there was no connection to one.
  private func response(on route: WebhookRoute) async throws -> HTTPClientResponse {
    var failure: any Error = CancellationError()
    for address in route.addresses.prefix(Self.addressLimit) {
      do {
        return try await route.client(for: address).execute(httpRequest, deadline: .distantFuture)
      } catch {
        failure = error
        guard Self.isUnreachable(error) else { break }
      }
    }
    if Self.isUnreachable(failure) { routes.remove(route, to: address.host) }
    throw failure
  }

  private var httpRequest: HTTPClientRequest {
    var http = HTTPClientRequest(url: address.text)
    http.method = .POST
    http.headers.add(name: "Content-Type", value: "application/json")
    http.headers.add(name: "User-Agent", value: "OnsideStore")
    http.headers.add(name: "webhook-id", value: request.id)
    http.headers.add(name: "webhook-timestamp", value: String(WebhookSignature.seconds(request.timestamp)))
    http.headers.add(
      name: "webhook-signature",
      value: WebhookSignature.header(
        id: request.id, timestamp: request.timestamp, body: request.body, secrets: request.secrets))
    http.body = .bytes(ByteBuffer(bytes: request.body))
    return http
  }

  /// True for an error before the first byte of a request.
  private static func isUnreachable(_ error: any Error) -> Bool {
    if let error = error as? IOError {
      return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
    }
    return (error as? HTTPClientError).map { connectionTimeouts.contains($0) } ?? false
  }

  private static func outcome(of error: any Error) -> WebhookOutcome {
    switch error {
    case is Late: .timedOut
    case let error as HTTPClientError where connectionTimeouts.contains(error): .timedOut
    case NIOSSLError.uncleanShutdown: .noAnswer
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .tlsFailed
    default: .noAnswer
    }
  }
}
