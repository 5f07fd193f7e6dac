extension Route {
  /// RFC 8414 metadata of the authorization server.
  public static let authorizationServer = Route(.get, "/.well-known/oauth-authorization-server", by: .anyone)
  /// RFC 7517 key set that verifies histories and receipts.
  public static let jwks = Route(.get, "/.well-known/jwks.json", by: .anyone)
  /// Whether this process can serve, in less detail: the older endpoint; use ``ready``.
  public static let health = Route(.get, "/healthz", by: .anyone)
  /// Whether this process runs at all.
  public static let live = Route(.get, "/health/live", by: .anyone)
  /// Whether this process should get requests, and which part of it keeps it from serving.
  public static let ready = Route(.get, "/health/ready", by: .anyone)
  /// Prometheus text.
  public static let metrics = Route(.get, "/metrics", by: .anyone)

  /// Starts a login: OAuth 2.1 authorization code with PKCE.
  public static let authorize = Route(.get, "/oauth/authorize", by: .browser)
  /// Exchanges a code or a refresh token. The caller is a public client: the code's verifier or the token is the proof.
  public static let token = Route(.post, "/oauth/token", by: .anyone)
  /// Ends a session, RFC 7009.
  public static let revoke = Route(.post, "/oauth/revoke", by: .anyone)

  /// Products with their texts and prices for one region.
  public static let products = Route(.get, "/v1/products", by: .app)
  /// The groups of products that the operator has put together for an app.
  public static let offerings = Route(.get, "/v1/offerings", by: .app)
  /// The account behind the access token.
  public static let account = Route(.get, "/v1/account", by: .account)
  /// Makes an order; `Idempotency-Key` is the order's id.
  public static let createOrder = Route(.post, "/v1/orders", by: .account)
  /// One order of the account.
  public static let order = Route(.get, "/v1/orders/{id}", by: .account)
  /// Gives up an order that is not paid.
  public static let cancelOrder = Route(.post, "/v1/orders/{id}/cancel", by: .account)
  /// Asks for the delivery of a paid consumable, which belongs to one device at a time. The answer is the order as it
  /// stands; asking again is fine.
  public static let claimOrder = Route(.post, "/v1/orders/{id}/claim", by: .account)
  /// Says that the app has delivered what was bought.
  public static let finishOrder = Route(.post, "/v1/orders/{id}/finish", by: .account)
  /// Opens the hosted page on which the account's user asks for a refund of an order.
  public static let orderRefundPage = Route(.post, "/v1/orders/{id}/refund-page", by: .account)
  /// What changed for the account since a cursor; waits for a change.
  public static let sync = Route(.get, "/v1/sync", by: .account)
  /// What a restore brings back.
  public static let restorable = Route(.get, "/v1/restorable", by: .account)
  /// The account's purchases in this app as a signed `TransactionHistory`.
  public static let history = Route(.get, "/v1/history", by: .account)
  /// What the account may use in this app, as a signed `EntitlementList`.
  public static let entitlements = Route(.get, "/v1/entitlements", by: .account)
  /// Where the account's subscriptions in this app stand.
  public static let subscriptions = Route(.get, "/v1/subscriptions", by: .account)
  /// Opens the hosted page on which the account's user manages the subscriptions in this app.
  public static let subscriptionsSession = Route(.post, "/v1/subscriptions/session", by: .account)
  /// Opens the hosted page on which the account's user redeems a code of an offer of this app.
  public static let redemptionSession = Route(.post, "/v1/redeem/session", by: .account)
  /// Opens the hosted page of the account's payment methods.
  public static let paymentMethodsSession = Route(.post, "/v1/payment-methods/session", by: .account)
  /// Where an installation came from.
  public static let attribution = Route(.post, "/v1/attribution", by: .app)
  /// What happened in an app.
  public static let events = Route(.post, "/v1/events", by: .app)
  /// What happened at a merchant's server.
  public static let serverEvents = Route(.post, "/attribution-api/v1/events", by: .merchant)
  /// A paid order of an app, for the merchant's backend.
  public static let merchantOrder = Route(.get, "/merchant-api/v1/orders/{order_id}", scope: .read)
  /// The signed history of one order, for its merchant's server.
  public static let merchantHistory = Route(
    .get, "/merchant-api/v1/purchases/in-app/history/{order_id}", by: .merchantToken)
  /// The events of an app, for the merchant's backend; waits for one.
  public static let merchantEvents = Route(.get, "/merchant-api/v1/events", scope: .read)
  /// The state of a customer of the key's app.
  public static let merchantCustomer = Route(.get, "/merchant-api/v1/customers/{subject}", scope: .read)
  /// The customers of the key's app that have a purchase with a token of the app.
  public static let merchantCustomers = Route(.get, "/merchant-api/v1/customers", scope: .read)
  /// Refunds an order of the key's app; `Idempotency-Key` names the act.
  public static let merchantRefund = Route(.post, "/merchant-api/v1/orders/{order_id}/refunds", scope: .support)
  /// Grants a customer of the key's app a product, or a revoked order again; `Idempotency-Key` names the act.
  public static let merchantGrant = Route(.post, "/merchant-api/v1/customers/{subject}/grants", scope: .support)
  /// Moves the end of the paid period of an order's subscription; `Idempotency-Key` names the act.
  public static let merchantExtension = Route(
    .post, "/merchant-api/v1/subscriptions/{order_id}/extend", scope: .support)
  /// Switches off the renewal of an order's subscription; `Idempotency-Key` names the act.
  public static let merchantStop = Route(.post, "/merchant-api/v1/subscriptions/{order_id}/stop", scope: .support)
  /// Enrols a wallet's PIN with the vault, which makes a key for it. The same enrolment again answers the same.
  public static let vaultEnrol = Route(.post, "/v1/vault/enrolments", by: .device)
  /// How an enrolment stands.
  public static let vaultState = Route(.get, "/v1/vault/enrolments/{id}", by: .device)
  /// One try: counted, then answered with the evaluated element.
  public static let vaultEvaluate = Route(.post, "/v1/vault/enrolments/{id}/evaluate", by: .device)
  /// Tells a new enrolment what its unlock tag will be compared with.
  public static let vaultSeal = Route(.post, "/v1/vault/enrolments/{id}/seal", by: .device)
  /// Proves that the wallet was opened: the count begins anew. The first time it puts the enrolment into use, and
  /// deletes the key of the one whose place it takes.
  public static let vaultConfirm = Route(.post, "/v1/vault/enrolments/{id}/confirm", by: .device)
  /// Deletes the key.
  public static let vaultDestroy = Route(.post, "/v1/vault/enrolments/{id}/destroy", by: .device)
  /// A payment provider reports what happened. Body and signature are the provider's own.
  public static let providerEvents = Route(.post, "/providers/{provider}/events", by: .provider)
  /// Explains a problem code: where the `type` of a ``ProblemDetails`` leads.
  public static let problem = Route(.get, "/problems/{code}", by: .anyone)

  /// What a Stellar wallet has to know of the store (SEP-1).
  public static let stellarInformation = Route(.get, "/.well-known/stellar.toml", by: .anyone)
  /// A challenge for an account (SEP-10). The account's signature is the proof.
  public static let walletChallenge = Route(.get, "/v1/wallet/auth", by: .anyone)
  /// A token for a signed challenge (SEP-10).
  public static let walletToken = Route(.post, "/v1/wallet/auth", by: .anyone)

  /// Every route of the interface but the hosted pages, which the store adds itself.
  public static let all: [Route] = [
    authorizationServer, jwks, health, live, ready, metrics, problem, authorize, token, revoke, products, offerings,
    account,
    createOrder, order, cancelOrder, claimOrder, finishOrder, orderRefundPage, sync, restorable, history, entitlements,
    subscriptions,
    subscriptionsSession, redemptionSession, paymentMethodsSession,
    attribution, events, serverEvents, merchantOrder, merchantEvents, merchantHistory, merchantCustomer,
    merchantCustomers, merchantRefund, merchantGrant, merchantExtension, merchantStop,
    vaultEnrol, vaultState, vaultEvaluate, vaultSeal, vaultConfirm, vaultDestroy,
    providerEvents, stellarInformation, walletChallenge, walletToken,
  ]
}
