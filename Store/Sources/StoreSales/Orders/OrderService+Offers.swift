import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// Orders that name an offer.
extension OrderService {
  /// What an order costs with the offer that it names, or without any; throws when the account may not have the offer.
  func quote(
    _ request: OrderRequest, for customer: Customer, regular: Quote, by way: OfferWay, in transaction: StoreTransaction
  ) throws -> Quote {
    guard let wanted = request.offer else { return regular }
    let product = regular.product.message
    guard let offer = quotes.offer(wanted.id, of: product.id, app: customer.app), request.quantity == 1,
      let group = product.subscriptionGroupID, let plan = product.plan(at: regular.price)
    else { throw OrderError.offerNotEligible("The product \(product.id) has no such offer.") }
    let key = SubscriptionKey(account: customer.account, app: customer.app, group: group)
    let history = try GroupHistory(key, orders: records, at: transaction.now, in: transaction)
    if let refusal = history.refusal(of: offer, of: plan, at: transaction.now, by: way) {
      throw OrderError.offerNotEligible(refusal)
    }
    if offer.kind == .promotional { try useSignature(of: request, wanted, for: customer, in: transaction) }
    let quote =
      offer.kind == .introductory
      ? regular.introductory
      : try quotes.quote(
        product.id, offer: offer.id, country: request.country, language: request.language, of: customer.app)
    guard let quote, quote.offerID == offer.id else {
      throw OrderError.offerNotEligible("The offer \(offer.id) is not sold in \(request.country).")
    }
    return quote
  }

  /// Requires the signature of a promotional offer, and uses its nonce. A write that fails afterwards leaves it unused.
  private func useSignature(
    of request: OrderRequest, _ offer: OrderOffer, for customer: Customer, in transaction: StoreTransaction
  ) throws {
    do {
      guard let text = offer.signature else { throw OfferSignatureFault.missing }
      let signature = try OfferSignature(text)
      guard let key = try OfferKeyRecords.key(signature.key, of: customer.app, in: transaction) else {
        throw OfferSignatureFault.unknownKey
      }
      guard signature.isSigned(by: key) else { throw OfferSignatureFault.notSigned }
      // The app's server signs at the real time, also for a sandbox whose clock was moved.
      let now = dependencies.clock.unmovedNow()
      try signature.require(
        app: customer.app, product: request.productID, offer: offer.id, account: request.appAccountToken, at: now)
      guard try OfferKeyRecords.use(nonce: signature.claims.nonce, of: customer.app, at: now, in: transaction) else {
        throw OfferSignatureFault.used
      }
    } catch let fault as OfferSignatureFault {
      throw OrderError.offerSignatureInvalid(fault.rawValue)
    }
  }
}

extension Order {
  /// The offer that it was made with because it names it; nil for the introductory offer, which needs no name.
  var namedOffer: OfferMessage? { offer.flatMap { $0.kind == .introductory ? nil : $0 } }

  /// A Boolean value that indicates whether it was made with a named offer, which its price may have lost since.
  var wasMadeWithOffer: Bool {
    [product, firstProduct].contains { $0?.message.offers.contains { $0.kind != .introductory } == true }
  }

  /// Whether it has the offer that a request names.
  func hasOffer(of request: OrderRequest) -> Bool {
    guard let wanted = request.offer?.id else { return namedOffer == nil }
    // An introductory offer that was used meanwhile is the order's no more.
    let before = firstPrice == nil ? [] : (firstProduct ?? product).message.offers
    return wanted == offerID || before.contains { $0.id == wanted }
  }
}
