import Synchronization

// What pages often read, as JSON: it is answered where the question arrives, without a turn of the main actor.

/// The storefront as JSON, at any time from any thread. Set in the turn in which it changes, before anybody is told.
final class StorefrontSnapshot: Sendable {
  private let current = Mutex(JSONText.null)

  var json: JSONText { current.withLock { $0 } }

  func set(_ storefront: OnsideStorefront?) {
    let json = storefront.map(JSONText.init) ?? .null
    current.withLock { $0 = json }
  }
}

/// The transactions as JSON, once they are written, until they change.
final class TransactionsSnapshot: Sendable {
  private struct State {
    var version = 0
    var json: JSONText?
  }

  private let state = Mutex(State())

  /// Nil when they are not written, or may have changed since.
  var json: JSONText? { state.withLock { $0.json } }

  /// To be called in the turn in which they change, before anybody is told.
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
