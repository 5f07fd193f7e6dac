import HTTPTypes
import Hummingbird
import OnsideAPI
import Synchronization

/// Turns requests away while there are more in flight than the process takes on, before they would time out. One value
/// counts for all routes of its kind: there is one for requests, one for new orders, which are counted among the
/// requests, and one for polls that wait. A request is not counted while its body arrives.
final class AdmissionMiddleware: RouterMiddleware {
  /// How many requests are in flight.
  final class InFlightCount: Sendable {
    fileprivate let value = Atomic<Int>(0)
  }

  private let limit: Int
  private let inFlight: InFlightCount

  /// - Parameter inFlight: counts the requests; kinds with one count share the room, up to the limit of each.
  init(limit: Int, inFlight: InFlightCount = InFlightCount()) {
    self.limit = limit
    self.inFlight = inFlight
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    let count = inFlight.value.add(1, ordering: .relaxed).newValue
    defer { inFlight.value.subtract(1, ordering: .relaxed) }
    guard count <= limit else { throw Self.overloaded }
    var context = context
    context.admission = self
    return try await next(request, context)
  }

  /// Gives up the place of a request in flight while its body arrives; throws `overloaded` if there is none after that.
  func withoutPlace<Body: Sendable>(_ receive: () async throws -> Body) async throws -> Body {
    inFlight.value.subtract(1, ordering: .relaxed)
    let result: Result<Body, any Error>
    do { result = .success(try await receive()) } catch { result = .failure(error) }
    // `handle` subtracts it.
    let count = inFlight.value.add(1, ordering: .relaxed).newValue
    let received = try result.get()
    guard count <= limit else { throw Self.overloaded }
    return received
  }

  private static let overloaded = Problem(.serviceUnavailable, code: .overloaded, retryAfter: 1)
}

extension Request {
  /// True if a body follows the head. The store reads no body of a GET request.
  var announcesBody: Bool {
    method != .get && (headers[.contentLength].map { $0 != "0" } ?? (headers[.transferEncoding] != nil))
  }
}
