import Foundation
import OnsideAPI
import OnsideCommerce

/// Messages of every type, full and bare, as the wire has them.
enum MessageSamples {
  typealias Sample = (name: String, encode: @Sendable () throws -> Data)

  static let all: [Sample] = [
    sample("TokenMessage") {
      TokenMessage(
        accessToken: "a.b", expiresIn: 600, refreshToken: "r", accountID: AccountID(id), subject: "c3ViamVjdA",
        country: .netherlands)
    },
    sample("WalletChallengeMessage") { WalletChallengeMessage(transaction: "AAAA", networkPassphrase: "Test") },
    sample("WalletChallengeMessage") { WalletChallengeMessage(transaction: "A", networkPassphrase: "T", csrf: "c") },
    sample("WalletAnswerMessage") { WalletAnswerMessage(transaction: "AAAA") },
    sample("WalletTokenMessage") { WalletTokenMessage(token: "a.b.c", hasAccount: true) },
    sample("WalletErrorMessage") { WalletErrorMessage(error: "Ask for a new one.") },
    sample("TokenErrorMessage") { TokenErrorMessage(error: "invalid_grant") },
    sample("TokenErrorMessage") { TokenErrorMessage(error: "invalid_grant", errorDescription: "Log in again.") },
    sample("AccountMessage") { AccountMessage(subject: "c3ViamVjdA", country: .netherlands) },
    sample("PriceMessage") { price },
    sample("OfferMessage") { offer },
    sample("ProductMessage") { subscription },
    sample("ProductMessage") { product },
    sample("ProductsMessage") {
      ProductsMessage(country: .netherlands, products: [product, subscription], invalidProductIDs: ["x"])
    },
    sample("SubscriptionMessage") { SubscriptionMessage(groupID: "plans", state: .none, willRenew: false) },
    sample("SubscriptionMessage") { subscribed },
    sample("SubscriptionsMessage") { SubscriptionsMessage(subscriptions: [subscribed]) },
    sample("OfferingMessage") { OfferingMessage(id: "plans", metadata: ["layout": "wide"], productIDs: ["gold"]) },
    sample("OfferingsMessage") { OfferingsMessage(current: nil, offerings: []) },
    sample("OfferingsMessage") {
      OfferingsMessage(current: "plans", offerings: [OfferingMessage(id: "plans", productIDs: ["gold"])])
    },
    sample("AvailableOfferMessage") { available },
    sample("OrderRequest") { OrderRequest(productID: "gold", country: .netherlands) },
    sample("OrderRequest") {
      OrderRequest(
        productID: "gold", country: .netherlands, quantity: 2, appAccountToken: "u", language: "nl",
        offer: OrderOffer(id: "o", signature: "a.b.c"))
    },
    sample("DeliveryMessage") { DeliveryMessage(.here) },
    sample("DeliveryMessage") { delivery },
    sample("OrderMessage") { openOrder },
    sample("OrderMessage") { fullOrder },
    sample("SyncMessage") { SyncMessage(cursor: "1", country: .netherlands, orders: [openOrder, fullOrder]) },
    sample("RestorableMessage") { RestorableMessage(orders: [fullOrder]) },
    sample("AttributionRequest") { AttributionRequest(installationID: InstallationID(id), platform: "linux") },
    sample("AttributionRequest") {
      AttributionRequest(installationID: InstallationID(id), platform: "linux", claim: "t")
    },
    sample("AttributionMessage") { AttributionMessage() },
    sample("AttributionMessage") { AttributionMessage(refererURL: "https://store.example/a/x?b=c") },
    sample("EventsRequest") {
      EventsRequest(
        installationID: InstallationID(id), events: [event, EventMessage(id: EventID(id), name: "e", at: 0)])
    },
    sample("EventMessage") { event },
    sample("ServerEventsRequest") { ServerEventsRequest(events: [serverEvent]) },
    sample("ServerEventMessage") { serverEvent },
    sample("MerchantEventMessage") { merchantEvent },
    sample("MerchantEventMessage") { bareMerchantEvent },
    sample("MerchantOrderMessage") { MerchantOrderMessage(order: .object(merchantOrder), sequence: 0) },
    sample("MerchantOrderMessage") { refundedMerchantOrder },
    sample("MerchantFeedMessage") { MerchantFeedMessage(events: []) },
    sample("MerchantFeedMessage") {
      MerchantFeedMessage(events: [merchantEvent, bareMerchantEvent], cursor: "evt_a_18", startsOver: true)
    },
    sample("MerchantEntitlementMessage") { lasting },
    sample("MerchantEntitlementMessage") { renewed },
    sample("MerchantCustomerMessage") { bareCustomer },
    sample("MerchantCustomerMessage") { customer },
    sample("MerchantCustomersMessage") { MerchantCustomersMessage(customers: [bareCustomer, customer]) },
    sample("MerchantRefundRequest") { MerchantRefundRequest() },
    sample("MerchantRefundRequest") { MerchantRefundRequest(amount: 100, reason: .support) },
    sample("MerchantGrantRequest") { MerchantGrantRequest(productID: "gold") },
    sample("MerchantGrantRequest") {
      MerchantGrantRequest(productID: "gold", reinstates: OrderID(id), cause: "ticket 4711")
    },
    sample("MerchantExtensionRequest") { MerchantExtensionRequest(days: 3) },
    sample("VaultEnrolRequest") { VaultEnrolRequest(enrolment: enrolment) },
    sample("VaultEnrolRequest") { VaultEnrolRequest(enrolment: enrolment, replaces: enrolment) },
    sample("VaultEvaluateRequest") { VaultEvaluateRequest(blinded: bytes) },
    sample("VaultSealRequest") { VaultSealRequest(tagHash: bytes) },
    sample("VaultConfirmRequest") { VaultConfirmRequest(unlockTag: bytes) },
    sample("VaultMessage") { vault },
    sample("VaultEvaluationMessage") {
      VaultEvaluationMessage(element: bytes, proof: WireBytes(Array(repeating: 255, count: 64)), vault: vault)
    },
    sample("HostedPageRequest") { HostedPageRequest(appAccountToken: "user-4711") },
    sample("HostedPageMessage") { HostedPageMessage(url: page) },
    sample("ProblemDetails") { ProblemDetails(type: "/problems/x", title: "T", status: 404, code: .notFound) },
    sample("ProblemDetails") {
      ProblemDetails(
        type: "/problems/x", title: "T", status: 409, detail: "d", code: .storefrontChanged, country: "DE",
        vault: vault, serverTime: 1_780_000_000_000)
    },
  ]

  private static func sample(_ name: String, _ make: @escaping @Sendable () -> any Encodable) -> Sample {
    (name, { try WireCoding.encoder().encode(make()) })
  }

  private static let id = UUID.version7(at: Date(timeIntervalSince1970: 1_780_000_000), random: [])
  private static let event = EventMessage(
    id: EventID(id), name: "e", parameters: ["a": .single(.integer(1)), "b": .list([.text("c")])], at: 1,
    country: .netherlands)
  private static let serverEvent = ServerEventMessage(
    eventName: "e", payload: ["a": .object(["b": .list([.null, .bool(true), .number(0.5)])])],
    eventDatetime: "2026-11-21T09:30:00Z", eventID: EventID(id), installationID: InstallationID(id))
  private static let merchantEvent = MerchantEventMessage(
    id: "evt_a_17", type: .orderRefunded, timestamp: now,
    data: MerchantEventData(
      app: "com.example", number: 17, object: "order", objectID: OrderID(id).description, sequence: 2,
      subject: "c3ViamVjdA", appAccountToken: "u", occurredAt: now, cause: "operator",
      content: .object(["price": .integer(499)])))
  private static let bareMerchantEvent = MerchantEventMessage(
    id: "evt_a_18", type: MerchantEventType(rawValue: "later.type"), timestamp: now,
    data: MerchantEventData(
      app: "com.example", number: 18, object: "customer", objectID: "c3ViamVjdA", sequence: 1, subject: "c3ViamVjdA",
      occurredAt: now, content: .object([:])))
  private static let merchantOrder: [String: PayloadValue] = [
    "bundle_id": .text("io.example.lumen"), "currency": .text("EUR"), "disputes": .list([]),
    "environment": .text("SANDBOX"), "order_id": .text(id.uuidString.lowercased()),
    "original_order_id": .text(id.uuidString.lowercased()), "original_purchase_date": .text("2026-11-21T09:30:00Z"),
    "price": .integer(499), "product_id": .text("gold"), "product_type": .text("CONSUMABLE"),
    "purchase_date": .text("2026-11-21T09:30:00Z"), "quantity": .integer(1), "refunded": .integer(0),
    "refunds": .list([]), "state": .text("paid"), "transaction_reason": .text("PURCHASE"), "user_country": .text("NL"),
  ]
  private static var refundedMerchantOrder: MerchantOrderMessage {
    let refund: [String: PayloadValue] = [
      "amount": .integer(499), "ended_at": .null, "id": .text("r"), "origin": .text("operator"),
      "reason": .text("refund"), "requested_at": .text("2026-11-22T09:30:00Z"), "state": .text("asked"),
    ]
    let dispute: [String: PayloadValue] = [
      "amount": .integer(499), "answer_by": .text("2026-11-29T09:30:00Z"), "closed_at": .null, "id": .text("stripe:d"),
      "opened_at": .text("2026-11-22T09:30:00Z"), "reason": .text("fraudulent"), "state": .text("open"),
    ]
    let further: [String: PayloadValue] = [
      "refunds": .list([.object(refund)]), "refunded": .integer(499), "disputes": .list([.object(dispute)]),
      "grant_cause": .text("refund"), "subject": .text("c3ViamVjdA"), "app_account_token": .null,
      "revocation_date": .text("2026-11-22T09:30:00Z"), "revocation_reason": .text("REFUND"),
      "tax_amount": .integer(87), "expires_at": .null,
    ]
    return MerchantOrderMessage(order: .object(merchantOrder.merging(further) { $1 }), sequence: 2)
  }
  private static let lasting = MerchantEntitlementMessage(
    Entitlement(productID: "gold", productType: .nonConsumable, orderID: id, purchaseDate: now), isActive: true)
  private static let renewed = MerchantEntitlementMessage(
    Entitlement(
      productID: "pro", productType: .autoRenewableSubscription, subscriptionID: "plans", orderID: id,
      purchaseDate: now, expiresAt: now, graceUntil: now, revocation: Revocation(date: now, reason: .refund),
      willRenew: false, appAccountToken: "u"),
    isActive: false)
  private static let merchantSubscription: [String: PayloadValue] = [
    "group_id": .text("plans"), "state": .text("EXPIRED"), "will_renew": .bool(false),
    "last_order_id": .text(id.uuidString.lowercased()), "original_order_id": .text(id.uuidString.lowercased()),
  ]
  private static let bareCustomer = MerchantCustomerMessage(
    subject: "c3ViamVjdA", entitlements: [], subscriptions: [], orders: [], sequence: 0, signed: "a.b.c")
  private static let customer = MerchantCustomerMessage(
    subject: "c3ViamVjdA", appAccountToken: "u", entitlements: [lasting, renewed],
    subscriptions: [.object(merchantSubscription)], orders: [.object(merchantOrder)], sequence: 3, signed: "a.b.c")
  private static let bytes = WireBytes(Array(repeating: 7, count: 32))
  private static let enrolment = VaultEnrolmentID("AAAAAAAAAAAAAAAAAAAAAA")!
  private static let vault = VaultMessage(
    enrolment: enrolment, state: .confirmed, epoch: 1, publicKey: bytes, triesRemaining: 9, retryAfter: 60,
    enrolsAnew: false)
  private static let page = URL(filePath: "/pay/x")
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)
  private static let price = PriceMessage(Money(minorUnits: 499, currency: .eur), formatted: "€ 4,99")
  private static let offer = OfferMessage(
    id: "o", kind: .introductory, mode: .freeTrial, period: .oneWeek, periodCount: 1, price: price)
  private static let product = ProductMessage(
    id: "gold", kind: .consumable, title: "Gold", description: "", price: price)
  private static let subscription = ProductMessage(
    id: "pro", kind: .autoRenewableSubscription, title: "Pro", description: "d", iconURL: page, price: price,
    subscriptionGroupID: "g", subscriptionPeriod: .oneMonth, subscriptionLevel: 2,
    subscriptionGraceDays: 3, offers: [offer])
  private static let available = AvailableOfferMessage(productID: "pro", id: "back")
  private static let subscribed = SubscriptionMessage(
    groupID: "plans", state: .inGracePeriod, productID: "pro", expiresAt: now, graceUntil: now, willRenew: true,
    nextProductID: "basic", nextPrice: price, pausedUntil: now, offers: [available])
  private static let openOrder = OrderMessage(
    id: OrderID(id), product: product, state: .open, country: .netherlands, price: price, createdAt: now,
    paymentURL: page)
  private static let delivery = DeliveryMessage(.elsewhere, seconds: 240)
  private static let fullOrder = OrderMessage(
    id: OrderID(id), product: subscription, quantity: 3, state: .paid, cancelReason: .expired, reason: .renewal,
    country: .netherlands, price: price, appAccountToken: "u", createdAt: now, paidAt: now, expiresAt: now,
    finished: true, delivery: delivery, revokedAt: now, revocationReason: .refund, originalOrderID: OrderID(id),
    duplicateOf: OrderID(id), reinstates: OrderID(id), paymentURL: page, receipt: "a.b.c")
}
