public import Foundation
import OnsideAPI
import OnsideCommerce

extension LocalStore {
  /// Takes an offer of the `.storekit` file for an account, as on the store's page for codes, and pays for it: an offer
  /// of codes (`codeOffers`; the file has no codes, so the offer's reference name stands for one), a win-back offer, or
  /// a promotional one, which needs no signature here. The account's devices get the purchase as one made elsewhere. It
  /// has the `appAccountToken` of an active subscription in the group, else none.
  /// - Parameters:
  ///   - offer: the offer's identifier.
  ///   - account: the name that the account logs in under.
  /// - Returns: the transaction's id.
  /// - Throws: an error when there is no such offer, or when the account may not have it now.
  @discardableResult
  public func redeem(
    _ offer: String, as account: String = LocalStore.defaultAccount
  ) throws(LocalSubscriptionError) -> UUID {
    try control { shop, now throws(LocalSubscriptionError) in
      guard let known = shop.offer(named: offer) else {
        throw LocalSubscriptionError(.noOffer, "expected the store to have an offer \(offer), but it has none")
      }
      let owner = shop.account(named: account, at: now)
      let buyer = LocalBuyer(account: owner, appAccountToken: nil)
      let id = OrderID(shop.newID(at: now))
      do throws(StoreError) {
        _ = try shop.makeOrder(
          id, request: shop.request(for: known.offer, of: known.product, by: buyer), by: owner, at: now, way: .code)
      } catch {
        throw LocalSubscriptionError(
          .offerNotEligible,
          "expected \(account) to be one who may have the offer \(offer) of \(known.product.id) now, but it is not")
      }
      shop.pay(id, at: now)
      return id.uuid
    }
  }
}
