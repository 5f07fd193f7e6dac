/// A callback property of `window.onside`, which a page may set to a function.
struct BridgeCallback: Sendable {
  let name: String
  let summary: String
  /// The name and the TypeScript type of its argument.
  let argument: (name: String, type: String)?
  /// Whether the app waits for its return value (a gate); otherwise it only notifies.
  var isGate = false

  static let all: [BridgeCallback] = [
    BridgeCallback(
      name: "onTransactionsUpdated",
      summary: "Transactions came or changed. Deliver and finish those in a final state.",
      argument: ("transactions", "JSPaymentTransaction[]")),
    BridgeCallback(
      name: "onTransactionsRemoved", summary: "Transactions left the queue.",
      argument: ("transactions", "JSPaymentTransaction[]")),
    BridgeCallback(
      name: "onTransactionsRevoked",
      summary: """
        Purchases were refunded or revoked, finished ones too: remove their goods. Later pages get the call, too, until \
        a handler has returned and the promise that it returned is fulfilled. An addition to the published interface.
        """,
      argument: ("transactions", "JSPaymentTransaction[]")),
    BridgeCallback(
      name: "onStorefrontChanged", summary: "The user logged in or out, or the account's region changed.",
      argument: ("storefront", "JSStorefront | null")),
    BridgeCallback(
      name: "onEntitlementsChanged",
      summary: """
        What the account may use has changed; pages hear of it once one of them has asked with getEntitlements. An \
        addition to the published interface.
        """,
      argument: ("entitlements", "JSEntitlement[]")),
    BridgeCallback(
      name: "onRestoreCompletedTransactionsFinished", summary: "A restore has delivered everything.", argument: nil),
    BridgeCallback(
      name: "onRestoreCompletedTransactionsFailedWithError", summary: "A restore failed.",
      argument: ("error", "OnsideTransactionsRestoreError")),
    BridgeCallback(
      name: "shouldContinueTransaction",
      summary: """
        Whether a transaction may run in another storefront than the one it was started in. Only false says no; so \
        does a page that is gone or hangs. `signal` is aborted when no answer is needed any more.
        """,
      argument: (
        "question", "{ transaction: JSPaymentTransaction; storefront: JSStorefront; signal?: AbortSignal }"
      ), isGate: true),
    BridgeCallback(
      name: "shouldContinueTransactionAfterLogin",
      summary: "Whether a purchase may go on that had to log the user in first. Only false says no.",
      argument: ("question", "{ transaction: JSPaymentTransaction; signal?: AbortSignal }"), isGate: true),
  ]
}
