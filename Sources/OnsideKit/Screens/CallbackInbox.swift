package import Foundation
import Synchronization

/// The inbox of callback addresses: gives an address that the system passed to the app (`Onside.handle(url:)`) to the
/// screen that waits for it.
package final class CallbackInbox: Sendable {
  private struct Waiting {
    var expected: ExpectedRedirect?
    let arrived: AsyncStream<URL>.Continuation
  }

  private struct State {
    var next = 0
    var waiting: [Int: Waiting] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// The place of one screen that waits for its redirect.
  package struct Place: Sendable {
    fileprivate let id: Int
    /// The redirect, once.
    package let callbacks: AsyncStream<URL>
  }

  /// Opens a place; nothing arrives there before ``expect(_:at:)``.
  package func open() -> Place {
    let (stream, continuation) = AsyncStream<URL>.makeStream(bufferingPolicy: .bufferingOldest(1))
    return state.withLock { state in
      state.next += 1
      state.waiting[state.next] = Waiting(expected: nil, arrived: continuation)
      return Place(id: state.next, callbacks: stream)
    }
  }

  /// Sets the redirect that belongs to the place.
  package func expect(_ redirect: ExpectedRedirect, at place: Place) {
    state.withLock { $0.waiting[place.id]?.expected = redirect }
  }

  /// Closes a place; a redirect that arrives for it later changes nothing.
  package func close(_ place: Place) {
    state.withLock { $0.waiting.removeValue(forKey: place.id) }?.arrived.finish()
  }

  /// Gives `url` to the screen that expects it. Each redirect counts once; an address that no screen expects changes
  /// nothing.
  /// - Returns: whether a screen expected it.
  @discardableResult
  package func receive(_ url: URL) -> Bool {
    let taken = state.withLock { state -> Waiting? in
      guard let match = state.waiting.first(where: { $0.value.expected?.accepts(url) == true }) else { return nil }
      return state.waiting.removeValue(forKey: match.key)
    }
    taken?.arrived.yield(url)
    taken?.arrived.finish()
    return taken != nil
  }
}

/// The redirect that ends a screen: an address, and the `state` that the screen's page was opened with.
package struct ExpectedRedirect: Hashable, Sendable {
  private let address: URL
  private let state: String?

  /// The redirect to `address` of a page; a page without `state` in its query needs none in the redirect.
  package init(to address: URL, from page: URL) {
    self.address = address
    self.state = page.queryValues(named: "state").first
  }

  /// The redirect to `address` with a `state`.
  package init(to address: URL, state: String) {
    self.address = address
    self.state = state
  }

  /// Whether `url` is this redirect: the same address but for its query, and the same `state`, once.
  package func accepts(_ url: URL) -> Bool {
    guard
      url.scheme?.lowercased() == address.scheme?.lowercased(),
      url.host()?.lowercased() == address.host()?.lowercased(),
      url.port == address.port, url.normalizedPath == address.normalizedPath
    else { return false }
    return state == nil || url.queryValues(named: "state") == state.map { [$0] }
  }
}

extension URL {
  /// The decoded values of a query parameter, in order.
  func queryValues(named name: String) -> [String] {
    URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?
      .filter { $0.name == name }.map { $0.value ?? "" } ?? []
  }

  fileprivate var normalizedPath: String {
    let path = path(percentEncoded: true)
    return path.isEmpty ? "/" : path
  }
}
