/// An event for pages, which call the callback of that name.
enum BridgeEvent: Sendable, Hashable {
  case updated([OnsidePaymentTransaction])
  case removed([OnsidePaymentTransaction])
  case revoked([OnsidePaymentTransaction])
  case storefrontChanged(OnsideStorefront?)
  case entitlementsChanged([OnsideEntitlement])
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
  /// Encodes the event as JSON. Throws when its argument cannot be encoded.
  func text(encodingTransactionsWith encode: (OnsidePaymentTransaction) throws -> JSONText) throws -> String {
    let argument = try argument(encodingTransactionsWith: encode).map { #","argument":\#($0.text)"# }
    return #"{"name":"\#(callback)"\#(argument ?? "")}"#
  }

  private func argument(
    encodingTransactionsWith encode: (OnsidePaymentTransaction) throws -> JSONText
  ) throws -> JSONText? {
    switch self {
    case .updated(let transactions), .removed(let transactions), .revoked(let transactions):
      JSONText.array(try transactions.map(encode))
    case .storefrontChanged(let storefront): try JSONText(storefront)
    case .entitlementsChanged(let entitlements): try JSONText(entitlements.map(JSEntitlement.init))
    case .restoreFinished: nil
    case .restoreFailed(let error): try JSONText(error)
    }
  }

  /// The name of the callback that the page is to call.
  var callback: String {
    switch self {
    case .updated: "onTransactionsUpdated"
    case .removed: "onTransactionsRemoved"
    case .revoked: "onTransactionsRevoked"
    case .storefrontChanged: "onStorefrontChanged"
    case .entitlementsChanged: "onEntitlementsChanged"
    case .restoreFinished: "onRestoreCompletedTransactionsFinished"
    case .restoreFailed: "onRestoreCompletedTransactionsFailedWithError"
    }
  }
}
