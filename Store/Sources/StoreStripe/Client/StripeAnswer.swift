import AsyncHTTPClient
import Foundation
import NIOHTTP1

/// An answer of Stripe's API, before it is read.
struct StripeAnswer: Sendable {
  let status: UInt
  let body: Data
  /// Stripe's name of the call, for logs and for its support.
  let requestID: String?
  /// How long to wait before the next call, when Stripe says so.
  let retryAfter: Duration?
  /// Whether it is the kept answer to an earlier call with the same idempotency key.
  let isReplayed: Bool

  init(_ response: HTTPClientResponse, body: Data) {
    let headers = response.headers
    status = response.status.code
    self.body = body
    requestID = headers.first(name: "Request-Id").map { String($0.prefix(64)) }
    retryAfter = headers.first(name: "Retry-After").flatMap { Int($0) }
      .flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    isReplayed = headers.first(name: "Idempotent-Replayed") == "true"
  }
}
