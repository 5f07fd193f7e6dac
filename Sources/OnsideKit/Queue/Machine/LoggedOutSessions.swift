import OnsideAPI

/// The sessions of accounts that have logged out. Each is ended at the store only when the account's finishes have been
/// sent with it (QUE-13).
struct LoggedOutSessions: Sendable {
  /// Accounts whose session is to be ended once the store knows their finishes.
  private(set) var ending: Set<AccountID> = []
  /// Accounts without a session: their finishes wait for their next login.
  private var missing: Set<AccountID> = []

  func isMissing(_ account: AccountID) -> Bool { missing.contains(account) }

  /// The store does not know the account's session any more.
  mutating func lose(_ account: AccountID) { missing.insert(account) }

  /// The account has a session, by a login or because one is to be ended.
  mutating func regain(_ account: AccountID) { missing.remove(account) }

  /// The account's session is to be ended.
  mutating func willEnd(_ account: AccountID) {
    missing.remove(account)
    ending.insert(account)
  }

  /// The sessions of these accounts may be ended now.
  mutating func release(_ accounts: Set<AccountID>) { ending.subtract(accounts) }
}
