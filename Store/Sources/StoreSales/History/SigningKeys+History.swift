package import OnsideCommerce

extension SigningKeys {
  /// The signed history of purchases, a compact JWS.
  package func signedHistory(of purchases: [InAppPurchase]) throws -> String {
    try active().sign(PurchaseJSON.history(purchases))
  }
}
