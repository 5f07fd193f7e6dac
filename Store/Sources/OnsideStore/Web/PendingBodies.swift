import HTTPTypes
import OnsideAPI

/// Counts the requests whose body has not arrived. They take no place among the requests in flight, so that clients
/// that stall keep no one out.
struct PendingBodies: Sendable {
  private let counts: NetworkCount

  /// Bounds for a number of requests in flight: four times as many bodies, of which one network has an eighth.
  init(requestsInFlight: Int) {
    counts = NetworkCount(limit: 4 * requestsInFlight, perNetwork: max(1, requestsInFlight / 2))
  }

  /// Runs `receive` while a body of the network is pending; throws `overloaded` at a limit.
  func count<Result>(_ network: String, _ receive: () async throws -> Result) async throws -> Result {
    guard counts.enter(network) else { throw Problem(.serviceUnavailable, code: .overloaded, retryAfter: 1) }
    defer { counts.leave(network) }
    return try await receive()
  }
}
