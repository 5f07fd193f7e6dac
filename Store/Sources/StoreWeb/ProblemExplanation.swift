import OnsideAPI

/// What a problem code means and what to do about it, for the problem's title, `/problems/{code}` and
/// `docs/problems.md`.
struct ProblemExplanation: Sendable {
  let code: ProblemCode
  let status: Int
  /// The summary that every problem of this code shares.
  let title: String
  let meaning: String
  let remedy: String

  /// One for each code.
  static let all: [ProblemExplanation] = store + vault

  /// Each by its code.
  static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

  private static let store: [ProblemExplanation] = [
    ProblemExplanation(
      code: .invalidRequest, status: 400,
      title: "The request could not be understood",
      meaning: """
        The request could not be understood: a field, a parameter or the JSON itself is not as the interface \
        describes it, or a text that would be kept contains U+0000.
        """,
      remedy: """
        Read `detail`, which names the field and what was expected, and correct the caller. Sending it again \
        unchanged will not help.
        """),
    ProblemExplanation(
      code: .notAuthenticated, status: 401,
      title: "The access token is missing, malformed or expired",
      meaning: "The access token is missing, malformed or expired.",
      remedy: "Get a new one with the refresh token, and log in again if that is refused with `invalid_grant`."),
    ProblemExplanation(
      code: .invalidSignature, status: 401,
      title: "The signature does not match the body",
      meaning: "The signature of a provider's report, or of a wallet's device, does not match the request.",
      remedy: """
        Sign the raw body, byte for byte: a provider with the secret that it shares with the store, a device with its \
        own key.
        """),
    ProblemExplanation(
      code: .invalidAPIKey, status: 401,
      title: "The API key is missing or not valid",
      meaning: "The API key is missing, malformed, unknown, or its secret was replaced; `detail` says which.",
      remedy: """
        Send `Authorization: Bearer` with the whole key. The operator of the store lists the keys with `onside api-key \
        list`, and makes one with `onside api-key add`.
        """),
    ProblemExplanation(
      code: .invalidMerchantToken, status: 401,
      title: "The merchant's JWT is missing or not valid",
      meaning: """
        The JWT of a merchant's server is missing, or its form, secret, signature, claims or time are not valid, or its \
        `jti` was used before; `detail` says what was expected.
        """,
      remedy: """
        Make a JWT for each request, as `docs/verify-purchases.md` describes, on a machine whose clock is right. The \
        operator of the store makes secrets with `onside merchant add`, and lists their ids with `onside merchant list`.
        """),
    ProblemExplanation(
      code: .forbidden, status: 403,
      title: "Not allowed",
      meaning: "The caller is known, but may not do this.",
      remedy: """
        Use an account, an app or an API key that may; `detail` names the scope that an API key needs. \
        `docs/access.md` lists who may call what.
        """),
    ProblemExplanation(
      code: .appNotRegistered, status: 404,
      title: "No app is registered under this identifier",
      meaning: "No app is registered under this identifier, or it was removed.",
      remedy: """
        Check the identifier. The operator of the store registers an app with `onside app add` or `onside import`.
        """),
    ProblemExplanation(
      code: .notFound, status: 404,
      title: "There is no such thing",
      meaning: "There is no such thing, or it belongs to someone else.",
      remedy: "Check the address and the account. The store does not tell the two apart."),
    ProblemExplanation(
      code: .methodNotAllowed, status: 405,
      title: "The path exists, but not with this method",
      meaning: "The path exists, but not with this method.",
      remedy: "Use the method that the interface describes for this path."),
    ProblemExplanation(
      code: .requestInProgress, status: 409,
      title: "Another request with the same idempotency key is under way",
      meaning: "Another request with the same idempotency key is under way.",
      remedy: "Wait a moment and send the same request again; the answer will be that of the first."),
    ProblemExplanation(
      code: .storefrontChanged, status: 409,
      title: "The account's region is another one",
      meaning: "The order names a country that is not the account's any more; `country` says which is.",
      remedy: "Show the price of that country, and order again if the buyer agrees."),
    ProblemExplanation(
      code: .subscriptionActive, status: 409,
      title: "The account has a plan of this subscription group",
      meaning: """
        The account has a plan of this group that the ordered one cannot replace now: the ordered one is lower or has \
        another length, so that it starts with the next renewal, or the present purchase cannot be refunded in part.
        """,
      remedy: """
        Show the page of the subscription, where the buyer chooses the plan. A higher plan can usually be ordered at \
        once.
        """),
    ProblemExplanation(
      code: .orderNotFinal, status: 409,
      title: "The order is not paid",
      meaning: "The order is not paid, so it cannot be finished.",
      remedy: "Finish an order after it has become `paid`; ask for it or sync to learn when."),
    ProblemExplanation(
      code: .actRejected, status: 409,
      title: "The act is not possible now",
      meaning: """
        A refund, grant, extension or end of a subscription is not possible in the present state of the order or \
        subscription; `detail` says why. Nothing was changed.
        """,
      remedy: "Read the order or the customer again, and correct the request; the same idempotency key may be used."),
    ProblemExplanation(
      code: .idempotencyKeyMissing, status: 400,
      title: "Idempotency-Key is missing or malformed",
      meaning: """
        The header `Idempotency-Key` is missing or malformed. An order needs a UUID, an act of a merchant's server 1 to \
        200 visible ASCII characters.
        """,
      remedy: """
        Make one UUID of version 7 for each order or act, keep it, and send it with every try.
        """),
    ProblemExplanation(
      code: .bodyTooLarge, status: 413,
      title: "The body is larger than this route takes",
      meaning: "The body is larger than this route takes.",
      remedy: "Send less. The limit of most routes is 64 KiB."),
    ProblemExplanation(
      code: .unsupportedMediaType, status: 415,
      title: "The body is not of a media type that this route takes",
      meaning: "The body is not of the media type that this route takes.",
      remedy: "Send `application/json`, or `application/x-www-form-urlencoded` to the OAuth endpoints."),
    ProblemExplanation(
      code: .idempotencyKeyReused, status: 422,
      title: "The idempotency key was used for another request",
      meaning: "This idempotency key came before with another body, or for another act.",
      remedy: "Use a new key for a new order or act, and the same body for a repeated one."),
    ProblemExplanation(
      code: .invalidProductIdentifier, status: 422,
      title: "Not a product identifier",
      meaning: "The order names a product identifier that can never exist.",
      remedy: "Order by the identifier as it stands in the catalogue."),
    ProblemExplanation(
      code: .productNotAvailable, status: 422,
      title: "The product is not sold in this region",
      meaning: "The product does not exist, or is not sold in this region.",
      remedy: "Load the products of the region first, and offer only those."),
    ProblemExplanation(
      code: .quantityNotAvailable, status: 422,
      title: "The product is not sold in this quantity",
      meaning: "Only consumables are sold in larger quantities, up to 1000 in one order and without an offer.",
      remedy: "Order 1, or fewer where `detail` says that their price is more than an amount can hold."),
    ProblemExplanation(
      code: .appAccountTokenTooLong, status: 422,
      title: "app_account_token is longer than 512 bytes",
      meaning: "`app_account_token` has more than 512 bytes of UTF-8.",
      remedy: "Use a shorter one; an identifier is enough."),
    ProblemExplanation(
      code: .offerNotEligible, status: 422,
      title: "The account may not have this offer",
      meaning: "The product has no such offer, or the account may not have it now; `detail` says which.",
      remedy: "Offer what `GET /v1/subscriptions` and the product list for the account, or sell at the regular price."),
    ProblemExplanation(
      code: .offerSignatureInvalid, status: 422,
      title: "The offer's signature is not one for this purchase",
      meaning: """
        A promotional offer needs a signature of the app's server, and this one is missing, cannot be verified, is old, \
        was used, or is for another account, product or offer; `detail` says which.
        """,
      remedy: "Let the app's server sign anew for each purchase. `docs/offers.md` has the format."),
    ProblemExplanation(
      code: .rateLimited, status: 429,
      title: "Too many requests",
      meaning: """
        Too many requests came from one place, or one address or account has used up what the store keeps for it in a \
        day; `detail` then says of what.
        """,
      remedy: "Wait as many seconds as `Retry-After` says. Nothing was changed."),
    ProblemExplanation(
      code: .internalError, status: 500,
      title: "The store made a mistake",
      meaning: "The store made a mistake. What went wrong is in its log, not in the answer.",
      remedy: """
        Try again later, with the same idempotency key. The operator of the store should read the log and run `onside \
        doctor`.
        """),
    ProblemExplanation(
      code: .overloaded, status: 503,
      title: "The store is busy",
      meaning: "The store has more to do than it takes on.",
      remedy: """
        Wait as many seconds as `Retry-After` says and try again, with the same idempotency key. Nothing was \
        changed.
        """),
    ProblemExplanation(
      code: .storageFull, status: 503,
      title: "The store has no room left",
      meaning: "The store has no room left on its disk. Nothing was changed.",
      remedy: """
        Try again later. The operator of the store should free space; `onside doctor` shows how much there is.
        """),
    ProblemExplanation(
      code: .storageUnavailable, status: 503,
      title: "The store cannot reach its data",
      meaning: "The store cannot read or write its data at the moment: its disk fails.",
      remedy: """
        Try again later, with the same idempotency key. The operator of the store should look at the disk and run \
        `onside doctor`.
        """),
    ProblemExplanation(
      code: .timedOut, status: 503,
      title: "The request took too long",
      meaning: "The request took longer than its route allows. With status 408 its body came too slowly.",
      remedy: """
        Send the same request again, with the same idempotency key: it is either done already or will be done once.
        """),
  ]
}
