/// What pages are told.
enum BridgeEvent: Sendable, Hashable {
  case updated([OnsidePaymentTransaction])
  case removed([OnsidePaymentTransaction])
  case revoked([OnsidePaymentTransaction])
  case storefrontChanged(OnsideStorefront?)
  case restoreFinished
  case restoreFailed(OnsideTransactionsRestoreError)

  /// How much room it takes.
  var size: Int {
    switch self {
    case .updated(let transactions), .removed(let transactions), .revoked(let transactions): transactions.count
    default: 1
    }
  }
}

extension BridgeEvent: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      switch self {
      case .updated(let transactions):
        $0.field("name", "onTransactionsUpdated")
        $0.field("argument", transactions)
      case .removed(let transactions):
        $0.field("name", "onTransactionsRemoved")
        $0.field("argument", transactions)
      case .revoked(let transactions):
        $0.field("name", "onTransactionsRevoked")
        $0.field("argument", transactions)
      case .storefrontChanged(let storefront):
        $0.field("name", "onStorefrontChanged")
        $0.field("argument", storefront.map(JSONText.init) ?? .null)
      case .restoreFinished:
        $0.field("name", "onRestoreCompletedTransactionsFinished")
      case .restoreFailed(let error):
        $0.field("name", "onRestoreCompletedTransactionsFailedWithError")
        $0.field("argument", try? JSONText(encoding: error))
      }
    }
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
}

extension BridgeGate: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("id", id)
      switch question {
      case .shouldContinue: $0.field("name", "shouldContinueTransaction")
      case .shouldContinueAfterLogin: $0.field("name", "shouldContinueTransactionAfterLogin")
      }
      $0.field("argument", question)
    }
  }
}

extension BridgeGate.Question: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      switch self {
      case .shouldContinue(let transaction, let storefront):
        $0.field("transaction", transaction)
        $0.field("storefront", storefront)
      case .shouldContinueAfterLogin(let transaction):
        $0.field("transaction", transaction)
      }
    }
  }
}
