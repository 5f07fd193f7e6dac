import Foundation
import NIOSSL
import StoreWeb
import Synchronization

/// The routes to the hosts of endpoints. A route is used for a minute at most; then its name is looked up again.
final class WebhookRoutes: Sendable {
  private enum Entry {
    case lookup(waiters: [AsyncStream<WebhookRoute>.Continuation])
    case known(WebhookRoute, end: ContinuousClock.Instant)
  }

  private static let lifetime: Duration = .seconds(60)

  private let addresses: @Sendable (String) -> [IPAddress]
  private let tls: TLSConfiguration?
  private let entries = Mutex<[String: Entry]>([:])

  /// - Parameter addresses: The lookup of a name; it may block.
  init(tls: TLSConfiguration?, addresses: @escaping @Sendable (String) -> [IPAddress]) {
    self.tls = tls
    self.addresses = addresses
  }

  /// The route to a host; without addresses if the name has none.
  func route(to host: String) async throws -> WebhookRoute {
    if let route = knownRoute(to: host) { return route }
    let (routes, waiter) = AsyncStream.makeStream(of: WebhookRoute.self)
    if isFirst(waiter, for: host) { lookUp(host) }
    for await route in routes { return route }
    throw CancellationError()
  }

  /// Ends the use of a route, such as one to a host that has moved.
  func remove(_ route: WebhookRoute, to host: String) {
    entries.withLock { entries in
      if case .known(let known, _) = entries[host], known === route { entries[host] = nil }
    }
  }

  private func knownRoute(to host: String) -> WebhookRoute? {
    entries.withLock { entries in
      guard case .known(let route, let end) = entries[host], ContinuousClock.now < end else { return nil }
      return route
    }
  }

  /// Adds a waiter for the lookup of a host. Returns true if the caller has to start it.
  private func isFirst(_ waiter: AsyncStream<WebhookRoute>.Continuation, for host: String) -> Bool {
    entries.withLock { entries in
      guard case .lookup(let waiters) = entries[host] else {
        entries[host] = .lookup(waiters: [waiter])
        return true
      }
      entries[host] = .lookup(waiters: waiters + [waiter])
      return false
    }
  }

  /// Looks up a name on a thread of its own, because it blocks: a silent name server delays no other host.
  private func lookUp(_ host: String) {
    Thread.detachNewThread { [self] in
      let route = WebhookRoute(host: host, addresses: addresses(host), tls: tls)
      for waiter in finishLookup(of: host, with: route) {
        waiter.yield(route)
        waiter.finish()
      }
    }
  }

  /// Stores a route, removes expired ones, and returns the waiters.
  private func finishLookup(
    of host: String, with route: WebhookRoute
  ) -> [AsyncStream<WebhookRoute>.Continuation] {
    let now = ContinuousClock.now
    return entries.withLock { entries in
      var waiters: [AsyncStream<WebhookRoute>.Continuation] = []
      if case .lookup(let found) = entries[host] { waiters = found }
      entries[host] = route.addresses.isEmpty ? nil : .known(route, end: now + Self.lifetime)
      entries = entries.filter { _, entry in
        guard case .known(_, let end) = entry else { return true }
        return now < end
      }
      return waiters
    }
  }
}
