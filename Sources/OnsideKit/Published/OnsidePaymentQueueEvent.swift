/// Something that observers of the payment queue are told, as a value of the stream ``OnsidePaymentQueue/events``. An
/// addition to the published API.
///
/// ``kind`` says which method of ``OnsidePaymentTransactionObserver`` it stands for, the other properties are what that
/// method is given.
public struct OnsidePaymentQueueEvent: Sendable, Hashable {
  /// What has happened.
  public let kind: Kind
  /// The transactions of ``Kind/updated``, ``Kind/removed`` and ``Kind/revoked``; empty for other kinds.
  public let transactions: [OnsidePaymentTransaction]
  /// Why a restore has failed; `nil` for other kinds than ``Kind/restoreFailed``.
  public let restoreError: OnsideTransactionsRestoreError?
  /// The new storefront of ``Kind/storefrontChanged``, `nil` after a logout; `nil` for other kinds.
  public let storefront: OnsideStorefront?

  /// The kind of an event. Later versions may have more: code that switches over it needs a default.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name, for example `updated`.
    public let rawValue: String

    /// Makes a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Transactions were added or have changed; deliver and finish them.
    public static let updated = Kind(rawValue: "updated")
    /// Transactions have left the queue.
    public static let removed = Kind(rawValue: "removed")
    /// Purchases were refunded or revoked; take them back.
    public static let revoked = Kind(rawValue: "revoked")
    /// A restore is over; all of its transactions came before.
    public static let restoreFinished = Kind(rawValue: "restoreFinished")
    /// A restore has failed.
    public static let restoreFailed = Kind(rawValue: "restoreFailed")
    /// The account logged in or out, or its region changed.
    public static let storefrontChanged = Kind(rawValue: "storefrontChanged")
  }

  /// Makes an event, for an app's own tests; those of the queue come from its stream.
  public init(
    _ kind: Kind, transactions: [OnsidePaymentTransaction] = [], restoreError: OnsideTransactionsRestoreError? = nil,
    storefront: OnsideStorefront? = nil
  ) {
    self.kind = kind
    self.transactions = transactions
    self.restoreError = restoreError
    self.storefront = storefront
  }
}
