import Foundation
import Synchronization

// JSON of values that pages read often: a call is answered on the thread where it arrives, without a turn of the main
// actor.

/// The storefront as JSON, readable at any time from any thread. It is set in the turn in which the storefront changes,
/// before pages get the event.
final class StorefrontSnapshot: Sendable {
  private let current = Mutex(JSONText.null)

  var json: JSONText { current.withLock { $0 } }

  func set(_ storefront: OnsideStorefront?) {
    let json = (try? JSONText(storefront)) ?? .null
    current.withLock { $0 = json }
  }
}

/// A cache of the transactions as JSON, from the first time they are encoded until they change. After a change only the
/// transactions that are new or different are encoded again.
final class TransactionsSnapshot: Sendable {
  private typealias Encoded = (transaction: OnsidePaymentTransaction, json: JSONText)

  private struct State {
    var version = 0
    var json: JSONText?
    var encoded: [UUID: Encoded] = [:]
  }

  private let encode: @Sendable (OnsidePaymentTransaction) throws -> JSONText
  private let state = Mutex(State())

  /// - Parameter encode: encodes one transaction; tests count its calls.
  init(
    encode: @escaping @Sendable (OnsidePaymentTransaction) throws -> JSONText = {
      try JSONText(JSPaymentTransaction($0))
    }
  ) {
    self.encode = encode
  }

  /// Nil when they are not encoded, or may have changed since.
  var json: JSONText? { state.withLock { $0.json } }

  /// Marks the JSON as outdated. Call it in the turn in which the transactions change, before pages get the event.
  func invalidate() {
    state.withLock { state in
      state.version += 1
      state.json = nil
    }
  }

  /// The JSON of one transaction: what was encoded last, if it is the same.
  func json(of transaction: OnsidePaymentTransaction) throws -> JSONText {
    let known = state.withLock { $0.encoded[transaction.id] }
    if let known, known.transaction == transaction { return known.json }
    return try encode(transaction)
  }

  /// Encodes the transactions as they are now; the cache keeps the JSON, unless they have changed by then.
  func encoding(_ transactions: [OnsidePaymentTransaction]) -> @Sendable () throws -> JSONText {
    let (version, known) = state.withLock { ($0.version, $0.encoded) }
    return { [weak self, encode] in
      let encoded = try transactions.map { transaction -> Encoded in
        if let known = known[transaction.id], known.transaction == transaction { return known }
        return (transaction, try encode(transaction))
      }
      let json = JSONText.array(encoded.map(\.json))
      self?.state.withLock { state in
        state.encoded = Dictionary(encoded.map { ($0.transaction.id, $0) }, uniquingKeysWith: { $1 })
        if state.version == version { state.json = json }
      }
      return json
    }
  }
}
