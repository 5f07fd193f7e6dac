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

extension BridgeEvent {
  /// The event as JSON, with the JSON of its transactions by `json`. It throws when its argument has no JSON form.
  func text(_ json: (OnsidePaymentTransaction) throws -> JSONText) throws -> String {
    let name = #"{"name":"\#(callback)""#
    return switch self {
    case .updated(let transactions), .removed(let transactions), .revoked(let transactions):
      name + #","argument":"# + JSONText.array(try transactions.map(json)).text + "}"
    case .storefrontChanged(let storefront): name + #","argument":"# + (try JSONText(storefront)).text + "}"
    case .restoreFinished: name + "}"
    case .restoreFailed(let error): name + #","argument":"# + (try JSONText(error)).text + "}"
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
