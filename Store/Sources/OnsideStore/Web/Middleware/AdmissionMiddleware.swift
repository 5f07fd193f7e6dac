import HTTPTypes
import Hummingbird
import OnsideAPI
import Synchronization

/// Turns requests away while there are more in flight than the process takes on, before they would time out. One value
/// counts for all routes of its kind: there is one for requests and one for polls that wait.
final class AdmissionMiddleware: RouterMiddleware {
  private let limit: Int
  private let inFlight = Atomic<Int>(0)

  init(limit: Int) {
    self.limit = limit
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    let count = inFlight.add(1, ordering: .relaxed).newValue
    defer { inFlight.subtract(1, ordering: .relaxed) }
    guard count <= limit else { throw Problem(.serviceUnavailable, code: .overloaded, retryAfter: 1) }
    return try await next(request, context)
  }
}
