public import Foundation
public import OnsideAPI
public import OnsideCommerce

/// A buyer's account: the identities that log in to it, and its region.
public struct Account: Sendable, Hashable {
  /// The account's id, a UUID of version 7.
  public let id: AccountID
  /// The proved identities that log in to the account, the oldest first; empty once the account was removed.
  public let identities: [ProvedIdentity]
  /// The region that the account buys in.
  public let country: CountryCode
  /// When the account was created.
  public let createdAt: Date
  /// True once the account was removed: its logins and sessions are refused.
  public let isRemoved: Bool

  /// The account's phone numbers and e-mail addresses, the oldest first.
  public var contacts: [Contact] { identities.compactMap(\.identity.contact) }

  /// The account's oldest phone number.
  public var phone: PhoneNumber? {
    contacts.lazy.compactMap { if case .phone(let phone) = $0 { phone } else { nil } }.first
  }

  /// The masked label of the oldest identity, shown to the account's owner; empty once the account was removed.
  package var masked: String { identities.first?.masked ?? "" }
}
