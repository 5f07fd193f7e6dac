import HTTPTypes
import OnsideAPI

/// Counts the bodies that are arriving, in bytes. Their requests take no place among the requests in flight, so that
/// clients that stall keep no one out.
struct PendingBodies: Sendable {
  /// A small body counts as this many bytes.
  private static let leastBytes = 64 * 1024

  private let bytes: NetworkCount

  /// Bounds for a number of requests in flight: 1 MiB for each, of which one network has an eighth.
  init(requestsInFlight: Int) {
    let limit = requestsInFlight * 1024 * 1024
    bytes = NetworkCount(limit: limit, perNetwork: limit / 8)
  }

  /// Runs `receive` while a body of the network is pending; throws `overloaded` at a limit.
  func count<Body>(_ length: Int, of network: String, _ receive: () async throws -> Body) async throws -> Body {
    let weight = max(length, Self.leastBytes)
    guard bytes.add(weight, of: network) else {
      throw Problem(.serviceUnavailable, code: .overloaded, retryAfter: 1)
    }
    defer { bytes.subtract(weight, of: network) }
    return try await receive()
  }
}
