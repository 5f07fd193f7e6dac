import Synchronization

/// The storefront as JSON, readable at any time from any thread: a call is answered on the thread where it arrives,
/// without a turn of the main actor. It is set in the turn in which the storefront changes, before pages get the event.
final class StorefrontSnapshot: Sendable {
  private let current = Mutex(JSONText.null)

  var json: JSONText { current.withLock { $0 } }

  func set(_ storefront: OnsideStorefront?) {
    let json = (try? JSONText(storefront)) ?? .null
    current.withLock { $0 = json }
  }
}
