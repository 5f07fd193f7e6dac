public import Foundation
public import OnsideCommerce

/// Verifies what apps send to their own server: signed histories, receipts and lists of entitlements of one app.
///
/// ```swift
/// let verifier = OnsideVerifier(
///   bundleID: "io.example.lumen", keys: try RemoteKeySet(storeURL: URL(string: "https://store.example")!))
///
/// // jws is the body of the app's request; customer is the app's `Onside.appAccountToken` of this user.
/// let history = try await verifier.verifyHistory(jws, appAccountToken: customer)
/// for purchase in history.transactions {
///   // Each order once; takeBack ignores an order that was not granted.
///   if purchase.revocation == nil { grant(purchase) } else { takeBack(purchase) }
/// }
/// ```
///
/// A verifier knows its app and environment, and takes neither from a document: a sandbox purchase, which costs
/// nothing, is refused unless the verifier is made for the sandbox. It has no state of its own: make one and share it.
///
/// A signature says that the store has signed the document, not that the caller owns it: anyone who has seen a history
/// can send it again. Compare `subject` or `appAccountToken`, and grant each order once.
///
/// Every call throws ``VerificationError``. ``VerificationError/Code/keysUnavailable`` is the only one after which the
/// same document may be right: answer it with 503, and everything else with 400.
public struct OnsideVerifier: Sendable {
  private let expectations: Expectations
  private let keySet: @Sendable (_ kid: String) async throws(VerificationError) -> JSONWebKeySet
  private let now: @Sendable () -> Date

  /// A verifier with keys that are fetched when a document names an unknown one.
  ///
  /// - Parameters:
  ///   - bundleID: the app's identifier at the store.
  ///   - environment: `.sandbox` for a test server.
  ///   - keys: the store's keys, which verifiers may share.
  ///   - now: the time, for tests.
  public init(
    bundleID: String, environment: PurchaseEnvironment = .production, keys: RemoteKeySet,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    expectations = Expectations(bundleID: bundleID, environment: environment)
    keySet = { kid throws(VerificationError) in try await keys.keys(for: kid) }
    self.now = now
  }

  /// A verifier with pinned keys, which asks nobody. Replace the keys before the store signs with a newer one: the key
  /// set has the next key already.
  ///
  /// - Parameters:
  ///   - bundleID: the app's identifier at the store.
  ///   - environment: `.sandbox` for a test server.
  ///   - pinnedKeys: the keys; a document with another key is refused with ``VerificationError/Code/unknownKey``.
  ///   - now: the time, for tests.
  public init(
    bundleID: String, environment: PurchaseEnvironment = .production, pinnedKeys: JSONWebKeySet,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    expectations = Expectations(bundleID: bundleID, environment: environment)
    keySet = { _ throws(VerificationError) in pinnedKeys }
    self.now = now
  }

  /// The purchases of a signed history, or of one page of it: the JWS of `OnsideSignedInAppsHistory`.
  ///
  /// ```swift
  /// let history = try await verifier.verifyHistory(jws, subject: subject, appAccountToken: customer)
  /// ```
  ///
  /// - Parameters:
  ///   - jws: the document as the app got it.
  ///   - subject: the store's pseudonym of the account in this app, as an earlier document of the user has it. A
  ///     history of another account is refused with ``VerificationError/Code/wrongAccount``; nil takes any.
  ///   - appAccountToken: leaves out purchases that were made with another token, compared byte for byte. An account of
  ///     the store may have made them for another user of the app, which is no error. Purchases without a token, such
  ///     as those of the store's web shop, are returned if `subject` is given, too. Nil leaves out none.
  ///   - maximumAge: refuses a history that the store has read more than these seconds ago. An older one does not know
  ///     of later refunds. An empty history has no date, and is never refused for it.
  /// - Throws: ``VerificationError`` when a purchase is of another app or environment, too; with
  ///   ``VerificationError/Code/wrongAccount`` when `subject` or `appAccountToken` is given and a purchase has neither.
  public func verifyHistory(
    _ jws: String, subject: String? = nil, appAccountToken: String? = nil, maximumAge: TimeInterval? = nil
  ) async throws(VerificationError) -> TransactionHistory {
    let history = try await verified(jws, as: TransactionHistory.self)
    try expectations.check(history, maximumAge: maximumAge, now: now())
    let owner = PurchaseOwner(subject: subject, appAccountToken: appAccountToken)
    for purchase in history.transactions { try owner.check(purchase) }
    return TransactionHistory(transactions: history.transactions.filter { owner.owns($0.appAccountToken) })
  }

  /// The purchase of a receipt: the JWS of `OnsidePaymentTransaction.signedPurchase`.
  ///
  /// A receipt is signed when the order is paid. Whether money went back later, a history or a list of entitlements
  /// knows.
  ///
  /// - Parameters:
  ///   - jws: the document as the app got it.
  ///   - subject: the store's pseudonym of the account in this app; refuses a purchase of another account with
  ///     ``VerificationError/Code/wrongAccount``; nil takes any.
  ///   - appAccountToken: refuses a purchase that was made with another token with
  ///     ``VerificationError/Code/wrongAccount``, and one without a token unless `subject` is given, too; nil takes
  ///     any.
  /// - Throws: ``VerificationError``, with ``VerificationError/Code/wrongAccount`` when `subject` or `appAccountToken`
  ///   is given and the purchase has neither; with ``VerificationError/Code/wrongType`` for a history of several
  ///   purchases.
  public func verifyReceipt(
    _ jws: String, subject: String? = nil, appAccountToken: String? = nil
  ) async throws(VerificationError) -> InAppPurchase {
    let history = try await verified(jws, as: TransactionHistory.self)
    guard let purchase = history.transactions.first, history.transactions.count == 1 else {
      throw VerificationError(
        .wrongType,
        "Expected a receipt of one purchase, got \(history.transactions.count). Call verifyHistory for those.")
    }
    try expectations.check(history, maximumAge: nil, now: now())
    let owner = PurchaseOwner(subject: subject, appAccountToken: appAccountToken)
    try owner.check(purchase)
    guard owner.owns(purchase.appAccountToken) else {
      throw VerificationError(
        .wrongAccount, "Expected a purchase with the given appAccountToken, got one with another or none.")
    }
    return purchase
  }

  /// A list of entitlements: what the account may use, until its `validUntil`.
  ///
  /// - Parameters:
  ///   - jws: the document as the app got it.
  ///   - subject: the account that the list must be of; nil takes any.
  ///   - appAccountToken: leaves out entitlements that were bought with another token. Those that were bought without
  ///     one are returned if `subject` is given, too. Nil leaves out none.
  ///   - maximumAge: refuses a list that the store has made more than these seconds ago. An older one does not know of
  ///     later refunds.
  /// - Returns: the list, in which some may have ended or been taken back: ask `isActive(at:)`.
  /// - Throws: ``VerificationError``, with ``VerificationError/Code/expired`` for a list that is not valid any more.
  public func verifyEntitlementList(
    _ jws: String, subject: String? = nil, appAccountToken: String? = nil, maximumAge: TimeInterval? = nil
  ) async throws(VerificationError) -> EntitlementList {
    var list = try await verified(jws, as: EntitlementList.self, type: EntitlementList.type)
    try expectations.check(list, subject: subject, maximumAge: maximumAge, now: now())
    let owner = PurchaseOwner(subject: subject, appAccountToken: appAccountToken)
    list.entitlements.removeAll { !owner.owns($0.appAccountToken) }
    return list
  }

  private func verified<Payload: Decodable>(
    _ jws: String, as: Payload.Type, type: String? = nil
  ) async throws(VerificationError) -> Payload {
    let document = try CompactJWS(jws, type: type, maximumSize: JSONWebKeySet.maximumSignedSize)
    let payload = try await keySet(document.header.kid).payload(of: document)
    guard let payload = try? JSONDecoder().decode(Payload.self, from: payload) else {
      throw .malformed("a \(Payload.self) as this version knows it")
    }
    return payload
  }
}
