/// A function of `window.onside`. The page's script, the dispatch and `onside.d.ts` follow from the table of all
/// functions (JSB-1).
struct BridgeFunction: Sendable {
  let name: String
  /// A description of the function, for the declarations.
  let summary: String
  /// The name and the TypeScript type of its parameter.
  let parameter: (name: String, type: String)?
  /// The TypeScript type that its promise has.
  var result = "void"
  /// The TypeScript type of the domain errors that it rejects with.
  var errors: String?
  /// A Boolean value that indicates whether it returns `undefined` instead of a promise. The page's console shows its
  /// errors (JSB-2).
  var isFireAndForget = false
  /// Whether the published interface does not have it: then it is declared as optional (JSB-14).
  var isAddition = false
  /// Decodes the parameters.
  let decode: @Sendable (BridgeParameters) throws -> BridgeRequest

  /// A Boolean value that indicates whether its parameter may be missing.
  var isParameterOptional: Bool { parameter?.name.hasSuffix("?") == true }

  static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// A request of a page, with its decoded parameters.
enum BridgeRequest: Sendable {
  case initialize
  case setAppearance(OnsideUIThemeMode)
  case setShouldForceLocalLoginMethods(Bool)
  case setDefaultCountryCodeAssumption(String)
  case setAppAccountToken(String)
  case trackEvent(TrackEventParameters)
  case logout
  case requestLogin
  case cancelLogin
  case presentPaymentMethodsManager
  case presentSubscriptionsManager(String?)
  case presentCodeRedemption
  case presentRefundRequest(String)
  case getCurrentStorefront
  case loadProducts(LoadProductsParameters)
  case purchase(PurchaseParameters)
  case restoreCompletedTransactions
  case getTransactions
  case finishTransaction(String)
  case cancelPurchase(String)
  case getAttributionMetadata
  case getSignedInAppsHistory
  case getEntitlements
  case getSignedEntitlements
  case getSubscriptionStatus(String)
  case getOfferings

  /// Whether the request makes its page ready for events and gates: its results arrive as events.
  var saysReady: Bool {
    switch self {
    case .initialize, .purchase, .restoreCompletedTransactions: true
    default: false
    }
  }
}

extension BridgeFunction {
  static let all: [BridgeFunction] = settings + account + purchases + rest

  private static let settings: [BridgeFunction] = [
    BridgeFunction(
      name: "initializeOnside",
      summary: "Says that the page is ready: events that have waited follow. Optional; may be called again.",
      parameter: ("version", "'v1'"),
      decode: {
        _ = try $0.decode(BridgeVersion.self)
        return .initialize
      }),
    BridgeFunction(
      name: "setAppearance", summary: "Sets the theme of the screens that are shown from now on.",
      parameter: ("theme", "JSTheme"), isFireAndForget: true,
      decode: { .setAppearance(try $0.decode(JSTheme.self).mode) }),
    BridgeFunction(
      name: "setShouldForceLocalLoginMethods",
      summary: "Whether logins stay with the store's own methods, without a hand-over to another app.",
      parameter: ("force", "boolean"), isFireAndForget: true,
      decode: { .setShouldForceLocalLoginMethods(try $0.decode()) }),
    BridgeFunction(
      name: "setDefaultCountryCodeAssumption",
      summary: "The user's likely country (ISO 3166-1 alpha-2) while no user is logged in; '' clears it.",
      parameter: ("countryCode", "string"), isFireAndForget: true,
      decode: { .setDefaultCountryCodeAssumption(try $0.decode()) }
    ),
    BridgeFunction(
      name: "setAppAccountToken",
      summary: """
        The app's own name for its user, which purchases and redeemed codes from now on carry unless a purchase has \
        its own; '' clears it. At most 512 bytes of UTF-8.
        """,
      parameter: ("appAccountToken", "string"), isFireAndForget: true, isAddition: true,
      decode: { .setAppAccountToken(try $0.decode()) }),
    BridgeFunction(
      name: "trackEvent", summary: "Reports that something happened.",
      parameter: ("event", "JSEvent"), isFireAndForget: true, decode: { .trackEvent(try $0.decode()) }),
  ]

  private static let account: [BridgeFunction] = [
    BridgeFunction(
      name: "logout", summary: "Logs out at once, also without a network.", parameter: nil, isFireAndForget: true,
      decode: { _ in .logout }),
    BridgeFunction(
      name: "requestLogin", summary: "Logs in, unless a user is logged in.", parameter: nil,
      errors: "OnsideLoginError", decode: { _ in .requestLogin }),
    BridgeFunction(
      name: "cancelLogin",
      summary: "Gives up a login that is under way: every call that waits for it hears loginDiscarded.",
      parameter: nil, isFireAndForget: true, isAddition: true, decode: { _ in .cancelLogin }),
    BridgeFunction(
      name: "presentPaymentMethodsManager",
      summary: "Shows the user's payment methods; logs in first if need be. Fulfilled when the screen is closed.",
      parameter: nil, errors: "OnsidePaymentMethodsManagerError", decode: { _ in .presentPaymentMethodsManager }),
    BridgeFunction(
      name: "presentSubscriptionsManager",
      summary: """
        Shows the page where the user manages subscriptions: the one of a group, or all of this app; logs in first if \
        need be. Fulfilled when the screen is closed.
        """,
      parameter: ("groupIdentifier?", "string"), errors: "OnsideLoginError", isAddition: true,
      decode: { .presentSubscriptionsManager(try $0.decode()) }),
    BridgeFunction(
      name: "presentCodeRedemption",
      summary: """
        Shows the page where the user redeems a code of an offer; logs in first if need be. Fulfilled when the screen \
        is closed; what was redeemed comes as a transaction.
        """,
      parameter: nil, errors: "OnsideLoginError", isAddition: true, decode: { _ in .presentCodeRedemption }),
    BridgeFunction(
      name: "presentRefundRequest",
      summary: "Shows the page where the user asks for a refund of a purchase. Fulfilled when the screen is closed.",
      parameter: ("transactionIdentifier", "string"), errors: "OnsideRefundRequestError", isAddition: true,
      decode: { .presentRefundRequest(try $0.decode()) }),
    BridgeFunction(
      name: "getCurrentStorefront", summary: "The account's region; null while no user is logged in.", parameter: nil,
      result: "JSStorefront | null", decode: { _ in .getCurrentStorefront }),
  ]

  private static let purchases: [BridgeFunction] = [
    BridgeFunction(
      name: "loadProducts", summary: "Loads products with their prices; only what was loaded can be bought.",
      parameter: ("request", "{ productIdentifiers: string[] }"), result: "JSProductsResponse",
      errors: "OnsideProductsRequestError", decode: { .loadProducts(try $0.decode()) }),
    BridgeFunction(
      name: "purchase",
      summary: "Starts a purchase; logs in first if need be. Fulfilled when it has started, never because it was paid.",
      parameter: ("request", "JSPurchaseRequest"),
      errors: "JSPurchaseError",
      decode: { .purchase(try $0.decode()) }),
    BridgeFunction(
      name: "restoreCompletedTransactions",
      summary: "Brings back what the account owns; logs in first if need be. Fulfilled when it has started.",
      parameter: nil, errors: "OnsidePaymentQueueRequestRestoreError", decode: { _ in .restoreCompletedTransactions }),
    BridgeFunction(
      name: "getTransactions", summary: "The transactions that are not finished. Ask after each load of the page.",
      parameter: nil, result: "JSPaymentTransaction[]", decode: { _ in .getTransactions }),
    BridgeFunction(
      name: "finishTransaction", summary: "Says that the page is done with a transaction in a final state.",
      parameter: ("id", "string"), errors: "JSFinishTransactionError", decode: { .finishTransaction(try $0.decode()) }),
    BridgeFunction(
      name: "cancelPurchase",
      summary: "Gives up a transaction in 'purchasing': it comes as failed with cancelled, unless it is paid by then.",
      parameter: ("id", "string"), errors: "JSFinishTransactionError", isAddition: true,
      decode: { .cancelPurchase(try $0.decode()) }),
  ]

  private static let rest: [BridgeFunction] = [
    BridgeFunction(
      name: "getAttributionMetadata", summary: "Where the installation came from.", parameter: nil,
      result: "JSAttributionMetadata", errors: "OnsideAttributionMetadataError",
      decode: { _ in .getAttributionMetadata }),
    BridgeFunction(
      name: "getSignedInAppsHistory", summary: "The account's purchases in this app, signed, for the app's server.",
      parameter: nil, result: "JSSignedInAppsHistory", errors: "OnsideSignedInAppsHistoryRequestError",
      decode: { _ in .getSignedInAppsHistory }),
    BridgeFunction(
      name: "getOfferings",
      summary: """
        Loads the groups of products that the operator has put together; their products can be bought. Without a \
        network they are those of the last time.
        """,
      parameter: nil, result: "JSOfferings", errors: "OnsideProductsRequestError", isAddition: true,
      decode: { _ in .getOfferings }),
    BridgeFunction(
      name: "getSubscriptionStatus",
      summary: "Where the account's subscription in a group stands; the state is NONE while no user is logged in.",
      parameter: ("groupIdentifier", "string"), result: "JSSubscriptionStatus", isAddition: true,
      decode: { .getSubscriptionStatus(try $0.decode()) }),
    BridgeFunction(
      name: "getEntitlements",
      summary: "What the account may use, also without a network; [] while no user is logged in.", parameter: nil,
      result: "JSEntitlement[]", isAddition: true, decode: { _ in .getEntitlements }),
    BridgeFunction(
      name: "getSignedEntitlements",
      summary: "The list behind getEntitlements as the store has signed it, for the app's server; null without one.",
      parameter: nil, result: "string | null", isAddition: true, decode: { _ in .getSignedEntitlements }),
  ]
}

/// The parameters of `purchase`.
struct PurchaseParameters: Decodable, Sendable {
  let productIdentifier: String
  let appAccountToken: String?
  let quantity: Int
  let offer: OnsidePaymentOffer?

  private enum CodingKeys: CodingKey {
    case productIdentifier, appAccountToken, quantity, offer
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    productIdentifier = try fields.decode(String.self, forKey: .productIdentifier)
    appAccountToken = try fields.decodeIfPresent(String.self, forKey: .appAccountToken)
    // JSON has NaN and Infinity as null: a page that has miscalculated does not buy one.
    quantity = fields.contains(.quantity) ? try fields.decode(Int.self, forKey: .quantity) : 1
    offer = try fields.decodeIfPresent(OnsidePaymentOffer.self, forKey: .offer)
  }
}

/// The parameters of `loadProducts`.
struct LoadProductsParameters: Decodable, Sendable {
  let productIdentifiers: Set<String>
}

/// A version of `window.onside` that a page may ask for in `initializeOnside`.
enum BridgeVersion: String, Decodable {
  case v1
}

/// The parameter of `setAppearance`.
enum JSTheme: String, Decodable {
  case light, dark, system

  var mode: OnsideUIThemeMode {
    switch self {
    case .light: .light
    case .dark: .dark
    case .system: .auto
    }
  }
}
