/// What pages are told.
enum BridgeEvent: Sendable, Hashable {
  case updated([OnsidePaymentTransaction])
  case removed([OnsidePaymentTransaction])
  case storefrontChanged(OnsideStorefront?)
  case restoreFinished
  case restoreFailed(OnsideTransactionsRestoreError)

  /// How much room it takes.
  var size: Int {
    switch self {
    case .updated(let transactions), .removed(let transactions): transactions.count
    default: 1
    }
  }

  func json() throws -> String {
    switch self {
    case .updated(let transactions):
      try Self.json("onTransactionsUpdated", JSONText(transactions.map(JSPaymentTransaction.init)))
    case .removed(let transactions):
      try Self.json("onTransactionsRemoved", JSONText(transactions.map(JSPaymentTransaction.init)))
    case .storefrontChanged(let storefront): try Self.json("onStorefrontChanged", JSONText(storefront))
    case .restoreFinished: #"{"name":"onRestoreCompletedTransactionsFinished"}"#
    case .restoreFailed(let error): try Self.json("onRestoreCompletedTransactionsFailedWithError", JSONText(error))
    }
  }

  private static func json(_ name: String, _ argument: JSONText) -> String {
    #"{"name":"\#(name)","argument":\#(argument.text)}"#
  }
}

/// A question to pages.
struct BridgeGate: Sendable, Hashable {
  let id: Int
  let question: Question

  enum Question: Sendable, Hashable {
    case shouldContinue(OnsidePaymentTransaction, OnsideStorefront)
    case shouldContinueAfterLogin(OnsidePaymentTransaction)
  }

  private struct Argument: Encodable {
    let transaction: JSPaymentTransaction
    let storefront: OnsideStorefront?
  }

  func json() throws -> String {
    let (name, argument) =
      switch question {
      case .shouldContinue(let transaction, let storefront):
        ("shouldContinueTransaction", Argument(transaction: .init(transaction), storefront: storefront))
      case .shouldContinueAfterLogin(let transaction):
        ("shouldContinueTransactionAfterLogin", Argument(transaction: .init(transaction), storefront: nil))
      }
    return #"{"id":\#(id),"name":"\#(name)","argument":\#(try JSONText(argument).text)}"#
  }
}
