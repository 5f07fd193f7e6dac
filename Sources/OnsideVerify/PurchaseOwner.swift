import OnsideCommerce

/// The user whose purchases a server asks for: an account of the store, a user of the app, or a user of the app with
/// this account.
struct PurchaseOwner: Sendable {
  /// The store's pseudonym of the account; nil for any account.
  let subject: String?
  /// The app's own name for its user; nil for any user.
  let appAccountToken: String?

  /// Refuses a purchase of another account, and one that names neither an account nor a user.
  func check(_ purchase: InAppPurchase) throws(VerificationError) {
    guard subject != nil || appAccountToken != nil else { return }
    guard purchase.subject != nil || purchase.appAccountToken != nil else {
      throw VerificationError(
        .wrongAccount,
        "Expected a subject or an appAccountToken in each purchase, got one with neither. Ask for a newer document.")
    }
    // A receipt from before the store named subjects is never signed again: its token names the buyer.
    let isNamedByToken = purchase.subject == nil && isToken(purchase.appAccountToken)
    guard subject == nil || subject == purchase.subject || isNamedByToken else {
      throw VerificationError(.wrongAccount, "Expected purchases of the given subject, got one of another or without.")
    }
  }

  /// Whether a purchase with a token is of the user. One without a token is of the account, whose subject was compared.
  func owns(_ token: String?) -> Bool {
    if appAccountToken == nil { return true }
    return token == nil ? subject != nil : isToken(token)
  }

  /// Whether a token is the user's, compared by bytes: two texts may be equal without that.
  private func isToken(_ token: String?) -> Bool {
    guard let token, let appAccountToken else { return false }
    return token.utf8.elementsEqual(appAccountToken.utf8)
  }
}
