import Foundation
import Synchronization

/// The JSON of the transactions: of each one as long as it stays the same, and of the list of all until one changes.
///
/// Pages read both often, and from any thread: a call is answered where it arrives, without a turn of the main actor.
final class TransactionJSONCache: Sendable {
  private typealias Encoded = (transaction: OnsidePaymentTransaction, json: JSONText)

  private struct State {
    /// Counts the changes of the transactions.
    var version = 0
    /// The list of this version; nil while it is not encoded.
    var list: JSONText?
    /// The elements of the list that was encoded last, and its version.
    var elements: [UUID: Encoded] = [:]
    var elementsVersion = 0
    /// What events told of the same transactions, where it differs: another reason of delivery, or a newer state.
    var events: [UUID: Encoded] = [:]

    func json(for transaction: OnsidePaymentTransaction) -> JSONText? {
      if let known = elements[transaction.id], known.transaction == transaction { return known.json }
      if let known = events[transaction.id], known.transaction == transaction { return known.json }
      return nil
    }
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

  /// The list; nil when it is not encoded, or the transactions have changed since.
  var list: JSONText? { state.withLock { $0.list } }

  /// Marks the list as outdated. Call it in the turn in which the transactions change, before pages get the event.
  func invalidate() {
    state.withLock { state in
      state.version += 1
      state.list = nil
    }
  }

  /// The JSON of one transaction, for an event. It is kept for the next view, if the transaction is in the list.
  func json(for transaction: OnsidePaymentTransaction) throws -> JSONText {
    if let known = state.withLock({ $0.json(for: transaction) }) { return known }
    let json = try encode(transaction)
    state.withLock { state in
      if state.elements[transaction.id] != nil { state.events[transaction.id] = (transaction, json) }
    }
    return json
  }

  /// Encodes the list as it is now; call it in the turn in which the transactions were read. The closure may run at any
  /// time: what it returns is kept unless something newer is.
  func encoding(_ transactions: [OnsidePaymentTransaction]) -> @Sendable () throws -> JSONText {
    let version = state.withLock { $0.version }
    return { [self] in
      let known = state.withLock { $0 }
      if known.version == version, let list = known.list { return list }
      let encoded = try transactions.map { ($0, try known.json(for: $0) ?? encode($0)) }
      let list = JSONText.array(encoded.map(\.1))
      keep(list, elements: Dictionary(encoded.map { ($0.0.id, $0) }, uniquingKeysWith: { $1 }), of: version)
      return list
    }
  }

  private func keep(_ list: JSONText, elements: [UUID: Encoded], of version: Int) {
    state.withLock { state in
      // A late closure must not bring back the transactions of an account that has logged out.
      guard version >= state.elementsVersion else { return }
      state.elementsVersion = version
      state.elements = elements
      state.events = state.events.filter { elements[$0.key] != nil }
      if state.version == version { state.list = list }
    }
  }
}
