/// One type of `onside.d.ts`.
struct BridgeType: Sendable {
  struct Field: Sendable {
    let name: String
    let type: String
    var isOptional = false
    /// Set for fields that the published interface does not have. They are optional, so that a value of a published
    /// type is one of ours (JSB-14).
    var summary: String?
  }

  let name: String
  var summary: String?
  private let body: Body

  private enum Body: Sendable {
    case fields([Field])
    case union([String])
  }

  /// The names of an object's fields.
  var fields: [Field] { if case .fields(let fields) = body { fields } else { [] } }

  private static func object(_ name: String, summary: String? = nil, fields: Field...) -> BridgeType {
    BridgeType(name: name, summary: summary, body: .fields(fields))
  }

  private static func union(_ name: String, summary: String? = nil, members: [String]) -> BridgeType {
    BridgeType(name: name, summary: summary, body: .union(members))
  }

  /// An error enum: one object for each case.
  private static func errors(_ name: String, _ cases: String...) -> BridgeType {
    union(name, members: cases.map { "{ \($0): {} }" })
  }

  private static func field(_ name: String, _ type: String) -> Field { Field(name: name, type: type) }

  private static func optional(_ name: String, _ type: String) -> Field {
    Field(name: name, type: type, isOptional: true)
  }

  private static func addition(_ name: String, type: String, summary: String) -> Field {
    Field(name: name, type: type, isOptional: true, summary: summary)
  }
}

extension BridgeType {
  static let all = values + transactions + events + errors

  private static let values: [BridgeType] = [
    .union("JSTheme", members: ["'light'", "'dark'", "'system'"]),
    .object(
      "JSPrice", fields: field("value", "number"), field("currencyCode", "string"),
      addition("formatted", type: "string", summary: "As a person of that storefront reads it.")),
    .object(
      "JSPeriod", fields: field("unit", "'day' | 'week' | 'month' | 'year'"), field("numberOfUnits", "number")),
    .object(
      "JSPricePeriod", fields: field("price", "JSPrice"), field("period", "JSPeriod"),
      addition("paymentMode", type: "string", summary: "FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT."),
      addition("numberOfPeriods", type: "number", summary: "How many periods the offer lasts.")),
    .object(
      "JSProductOffer",
      summary: "`kind` is INTRODUCTORY, WIN_BACK, PROMOTIONAL or a later one. An addition to the published interface.",
      fields: field("offerIdentifier", "string"), field("kind", "string"), field("terms", "JSPricePeriod")),
    .object(
      "JSProduct", fields: field("productIdentifier", "string"), field("localizedTitle", "string"),
      field("localizedDescription", "string"), optional("iconUrl", "string"),
      optional("subscriptionGroupIdentifier", "string"), optional("subscriptionPeriod", "JSPeriod"),
      field("price", "JSPrice"), optional("introductoryPrice", "JSPricePeriod"),
      optional("discountedPrice", "JSPricePeriod"),
      addition(
        "productType", type: "string",
        summary: "CONSUMABLE, NON_CONSUMABLE, NON_RENEWING_SUBSCRIPTION or AUTO_RENEWABLE_SUBSCRIPTION."),
      addition("offers", type: "JSProductOffer[]", summary: "Those that the account may have, the best first.")),
    .object(
      "JSProductsResponse", fields: field("products", "JSProduct[]"), field("invalidProductIdentifiers", "string[]")),
    .object(
      "JSOffering", summary: "A named group of products. An addition to the published interface.",
      fields: field("id", "string"), field("metadata", "{ [key: string]: string }"),
      field("products", "JSProduct[]")),
    .object(
      "JSOfferings",
      summary: "`current` is the id of the one to be shown; `date` is when the store told them. An addition.",
      fields: optional("current", "string"), field("offerings", "JSOffering[]"), field("date", "string")),
    .object(
      "JSStorefront", summary: "The id is an opaque handle for this launch; never keep it.",
      fields: field("id", "string"),
      field("countryCode", "string")),
  ]

  private static let transactions: [BridgeType] = [
    .object(
      "JSPaymentOffer",
      summary: "A promotional offer needs the signature of the app's server. An addition to the published interface.",
      fields: field("offerIdentifier", "string"), optional("signature", "string")),
    .object(
      "JSPurchaseRequest", fields: field("productIdentifier", "string"), optional("appAccountToken", "string"),
      addition(
        "quantity", type: "number",
        summary: "1 by default; 1 to 1000 for a consumable. Others reject with OnsideBridgeError invalidArguments."),
      addition("offer", type: "JSPaymentOffer", summary: "Without one the price is the regular or introductory one.")),
    .object(
      "JSPayment", fields: field("product", "JSProduct"), optional("appAccountToken", "string"),
      addition("quantity", type: "number", summary: "The number of units, which the page delivers; missing means 1."),
      addition("offer", type: "JSPaymentOffer", summary: "The offer that it is made with.")),
    .union("JSPaymentTransactionState", members: ["'purchasing'", "'purchased'", "'restored'", "'failed'"]),
    .object(
      "JSPaymentTransaction", summary: "Identify a transaction by its id.", fields: field("id", "string"),
      optional("transactionIdentifier", "string"), optional("originalTransactionIdentifier", "string"),
      field("payment", "JSPayment"), field("transactionState", "JSPaymentTransactionState"),
      field("storefront", "JSStorefront"), optional("error", "OnsidePaymentTransactionError"),
      addition(
        "failureCode", type: "OnsideBridgeErrorCode",
        summary: "What was in the way when the error is presentationFailed: offline, notAvailable, or another code."),
      addition(
        "deliveryReason", type: "string",
        summary: """
          Why it is delivered: new, redelivered, restored, renewed, elsewhere, or a later one. A consumable comes on \
          the device that ordered it, on another only after that one was away for minutes: let your server grant by \
          transactionIdentifier.
          """),
      addition("purchaseDate", type: "string", summary: "When it was paid, such as 2027-01-15T08:00:00Z."),
      addition("expirationDate", type: "string", summary: "When the subscription period that it paid for ends."),
      addition(
        "revocationDate", type: "string",
        summary: "When it was refunded or revoked: do not deliver it, and take away what it gave."),
      addition(
        "signedPurchase", type: "string",
        summary: "The store's signed record of this purchase, a compact JWS for your server.")),
    .object(
      "JSEntitlement",
      summary: "A lasting product, or the last paid period of a subscription. An addition to the published interface.",
      fields: field("productIdentifier", "string"), field("productType", "string"),
      optional("subscriptionGroupIdentifier", "string"), field("transactionIdentifier", "string"),
      field("originalTransactionIdentifier", "string"), field("isActive", "boolean"), field("purchaseDate", "string"),
      optional("expirationDate", "string"), optional("gracePeriodExpirationDate", "string"),
      optional("revocationDate", "string"), optional("willAutoRenew", "boolean"),
      optional("appAccountToken", "string")),
    .object(
      "JSAvailableOffer", summary: "An offer that the account may have now. An addition to the published interface.",
      fields: field("productIdentifier", "string"), field("offerIdentifier", "string")),
    .object(
      "JSSubscriptionStatus",
      summary: """
        The account's subscription in a group; state is NONE, SUBSCRIBED, IN_GRACE_PERIOD, IN_BILLING_RETRY, PAUSED, \
        EXPIRED, REVOKED, or a later one. An addition to the published interface.
        """,
      fields: field("groupIdentifier", "string"), field("state", "string"), optional("productIdentifier", "string"),
      optional("expirationDate", "string"), optional("gracePeriodExpirationDate", "string"),
      field("willAutoRenew", "boolean"), optional("nextProductIdentifier", "string"),
      optional("nextPrice", "JSPrice"), optional("pausedUntil", "string"), field("offers", "JSAvailableOffer[]")),
    .object("JSAttributionMetadata", fields: optional("refererUrl", "string")),
    .object("JSSignedInAppsHistory", fields: field("dataBase64", "string"), optional("string", "string")),
  ]

  private static let events: [BridgeType] = [
    .union("JSEventArrayParameterValue", members: ["string", "number", "boolean"]),
    .union("JSEventParameterValue", members: ["string", "number", "boolean", "JSEventArrayParameterValue[]"]),
    .object(
      "JSEvent", summary: "The names purchaseCompleted and subscriptionStarted are predefined.",
      fields: field("name", "string"),
      optional("parameters", "{ [key: string]: JSEventParameterValue }")),
  ]

  private static let errors: [BridgeType] = [
    .object(
      "OnsideInitializeError",
      summary: "What initializeOnside may reject with in other implementations; in this one it never does.",
      fields: field("reason", "string")),
    .errors("OnsideLoginError", "loginDiscarded"),
    .errors("OnsidePaymentMethodsManagerError", "loginDiscarded", "notSupportedInLocalTesting", "presentationFailed"),
    .errors(
      "OnsideRefundRequestError", "loginDiscarded", "notSupportedInLocalTesting", "purchaseNotFound",
      "presentationFailed"),
    .errors(
      "OnsideProductsRequestError", "cancelled", "connectionError", "appNotRegistered", "invalidProductIdentifier",
      "serviceUnavailable", "internalError"),
    .errors("JSPurchaseError", "unknownProduct", "loginDiscarded", "rejectedAfterLogin"),
    .errors("JSFinishTransactionError", "unknownTransaction"),
    .errors("OnsidePaymentTransactionError", "cancelled", "presentationFailed"),
    .errors("OnsidePaymentQueueRequestRestoreError", "loginDiscarded"),
    .errors(
      "OnsideTransactionsRestoreError", "cancelled", "connectionError", "appNotRegistered", "serviceUnavailable",
      "internalError"),
    .errors(
      "OnsideAttributionMetadataError", "connectionError", "appNotRegistered", "serviceUnavailable", "internalError"),
    .errors(
      "OnsideSignedInAppsHistoryRequestError", "notLoggedIn", "notSupportedInLocalTesting", "cancelled",
      "connectionError", "appNotRegistered", "serviceUnavailable", "internalError"),
    .union("OnsideBridgeErrorCode", members: BridgeError.Code.allCases.map { "'\($0.rawValue)'" }),
  ]
}

// MARK: TypeScript

extension BridgeType {
  var declaration: String {
    let summary = self.summary.map { "/** \($0) */\n" } ?? ""
    switch body {
    case .union(let members):
      let joined = members.joined(separator: " | ")
      let text = "export type \(name) = \(joined);"
      guard text.count > 100 else { return summary + text }
      return summary + "export type \(name) =\n" + members.map { "  | \($0)" }.joined(separator: "\n") + ";"
    case .fields(let fields):
      return summary + "export interface \(name) {\n" + fields.map(\.declaration).joined(separator: "\n") + "\n}"
    }
  }
}

extension BridgeType.Field {
  fileprivate var declaration: String {
    let comment = summary.map { "  /** \($0) An addition to the published interface. */\n" } ?? ""
    return "\(comment)  \(name)\(isOptional ? "?" : ""): \(type);"
  }
}

extension BridgeFunction {
  func declaration(indent: String) -> String {
    let parameters = parameter.map { "\($0.name): \($0.type)" } ?? ""
    let type = isFireAndForget ? "void" : "Promise<\(result)>"
    var lines = ["/**", " * \(summary)"]
    if let errors { lines.append(" * Rejects with {@link \(errors)}.") }
    if isAddition { lines.append(" * An addition to the published interface.") }
    lines += [" */", "\(name)\(isAddition ? "?" : ""): (\(parameters)) => \(type);"]
    return lines.map { indent + $0 }.joined(separator: "\n")
  }
}

extension BridgeCallback {
  func declaration(indent: String) -> String {
    let parameters = argument.map { "\($0.name): \($0.type)" } ?? ""
    let result = isGate ? "boolean | Promise<boolean>" : "void"
    return "\(indent)/** \(summary) */\n\(indent)\(name)?: ((\(parameters)) => \(result)) | undefined;"
  }
}
