import OnsideCommerce

/// A subscription as pages see it. `BridgeType` describes it for TypeScript.
struct JSSubscriptionStatus: Encodable {
  let groupIdentifier: String
  let state: String
  let productIdentifier: String?
  let expirationDate: String?
  let gracePeriodExpirationDate: String?
  let willAutoRenew: Bool
  let nextProductIdentifier: String?
  let nextPrice: JSPrice?
  let pausedUntil: String?
  let offers: [OnsideAvailableOffer]

  init(_ status: OnsideSubscriptionStatus) {
    groupIdentifier = status.groupIdentifier
    state = status.state.rawValue
    productIdentifier = status.productIdentifier
    expirationDate = status.expirationDate.map(RFC3339.text)
    gracePeriodExpirationDate = status.gracePeriodExpirationDate.map(RFC3339.text)
    willAutoRenew = status.willAutoRenew
    nextProductIdentifier = status.nextProductIdentifier
    nextPrice = status.nextPrice.map(JSPrice.init)
    pausedUntil = status.pausedUntil.map(RFC3339.text)
    offers = status.offers
  }
}
