/// An event for pages, which call the callback of that name.
enum BridgeEvent: Sendable, Hashable {
  case updated([OnsidePaymentTransaction])
  case removed([OnsidePaymentTransaction])
  case revoked([OnsidePaymentTransaction])
  case storefrontChanged(OnsideStorefront?)
  case restoreFinished
  case restoreFailed(OnsideTransactionsRestoreError)

  /// The number of its transactions, as ``BridgeLimits/eventsHeld`` counts; an event without any counts as one.
  var size: Int {
    switch self {
    case .updated(let transactions), .removed(let transactions), .revoked(let transactions): transactions.count
    default: 1
    }
  }
}

extension BridgeEvent: Encodable {
  private enum Key: CodingKey { case name, argument }

  func encode(to encoder: any Encoder) throws {
    var event = encoder.container(keyedBy: Key.self)
    try event.encode(callback, forKey: .name)
    switch self {
    case .updated(let transactions), .removed(let transactions), .revoked(let transactions):
      try event.encode(transactions.map(JSPaymentTransaction.init), forKey: .argument)
    case .storefrontChanged(let storefront): try event.encode(storefront, forKey: .argument)
    case .restoreFinished: break
    case .restoreFailed(let error): try event.encode(error, forKey: .argument)
    }
  }

  /// The name of the callback that the page is to call.
  private var callback: String {
    switch self {
    case .updated: "onTransactionsUpdated"
    case .removed: "onTransactionsRemoved"
    case .revoked: "onTransactionsRevoked"
    case .storefrontChanged: "onStorefrontChanged"
    case .restoreFinished: "onRestoreCompletedTransactionsFinished"
    case .restoreFailed: "onRestoreCompletedTransactionsFailedWithError"
    }
  }
}
