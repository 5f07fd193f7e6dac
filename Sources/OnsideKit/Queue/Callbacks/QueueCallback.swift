/// A call to observers, or the end of a call of the app.
enum QueueCallback: Sendable {
  case completed(CallID, QueueCallResult)
  case updated([OnsidePaymentTransaction])
  case removed([OnsidePaymentTransaction])
  case revoked([OnsidePaymentTransaction])
  case storefrontChanged
  case restoreFinished
  case restoreFailed(OnsideTransactionsRestoreError)
}
