import Synchronization

// JSON of values that pages read often: a call is answered on the thread where it arrives, without a turn of the main
// actor.

/// The storefront as JSON, readable at any time from any thread. It is set in the turn in which the storefront changes,
/// before pages get the event.
final class StorefrontSnapshot: Sendable {
  private let current = Mutex(JSONText.null)

  var json: JSONText { current.withLock { $0 } }

  func set(_ storefront: OnsideStorefront?) {
    let json = storefront.map(JSONText.init) ?? .null
    current.withLock { $0 = json }
  }
}

/// A cache of the transactions as JSON, from the first time they are written until they change.
final class TransactionsSnapshot: Sendable {
  private struct State {
    var version = 0
    var json: JSONText?
  }

  private let state = Mutex(State())

  /// Nil when they are not written, or may have changed since.
  var json: JSONText? { state.withLock { $0.json } }

  /// Clears the cache. Call it in the turn in which the transactions change, before pages get the event.
  func forget() {
    state.withLock { state in
      state.version += 1
      state.json = nil
    }
  }

  /// The transactions as they are now, which this keeps once they are written, unless they have changed by then.
  func keeping(_ transactions: [OnsidePaymentTransaction]) -> some JSONWritable & Sendable {
    let version = state.withLock { $0.version }
    return Kept(transactions: transactions) { [weak self] json in
      self?.state.withLock { if $0.version == version { $0.json = json } }
    }
  }

  private struct Kept: JSONWritable, Sendable {
    let transactions: [OnsidePaymentTransaction]
    let keep: @Sendable (JSONText) -> Void

    func write(to json: inout JSONWriter) {
      let text = JSONText(transactions)
      keep(text)
      text.write(to: &json)
    }
  }
}
