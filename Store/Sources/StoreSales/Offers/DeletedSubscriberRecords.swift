package import Crypto
import Foundation
import OnsideAPI
import StoreAccounts
import StoreBase

/// The table of deleted subscribers: keyed hashes of their identities, by subscription group (PRD-9,
/// docs/account-data.md).
package struct DeletedSubscriberRecords: Sendable {
  /// Lifetime of a hash in seconds: two years.
  static let lifetime: TimeInterval = 2 * 365 * 86_400

  package let key: SymmetricKey

  package init(key: SymmetricKey) {
    self.key = key
  }

  /// The groups of an app with a deleted subscription of one of an account's present identities.
  func groups(of customer: Customer, in connection: any SQLConnection) throws -> Set<String> {
    let identities = try connection.rows(
      "SELECT contact FROM identities WHERE account_id = $1", [.text(customer.account)])
    let texts = try identities.flatMap { row in
      let text = try row.text("contact")
      return [text] + (Identity(stored: text)?.spellings ?? [])
    }
    let groups = try Set(texts).flatMap { text in
      try connection.rows(
        "SELECT group_id FROM deleted_subscribers WHERE identity_hash = $1 AND app_id = $2",
        [.text(hash(text)), .text(customer.app)])
    }
    return Set(try groups.map { try $0.text("group_id") })
  }

  /// Records that an identity leaves an account that has subscribed in a group of an app.
  func record(_ identity: Identity, _ group: String, ofApp app: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO deleted_subscribers(identity_hash, app_id, group_id, recorded_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT(identity_hash, app_id, group_id) DO UPDATE SET recorded_at = excluded.recorded_at
      """,
      [.text(hash(PhoneNumber.canonical(of: identity.text))), .text(app), .text(group), .date(transaction.storeNow)])
  }

  /// Deletes some of the hashes whose time is over; returns how many.
  static func clear(at now: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(
      from: "deleted_subscribers", where: "recorded_at < $1", [.date(now - lifetime)],
      key: "identity_hash, app_id, group_id")
  }

  private func hash(_ identity: String) -> String {
    Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(identity.utf8), using: key)))
  }
}

extension OrderRecords {
  /// Records the groups that an account has subscribed in, in any app, for identities that leave it.
  func recordDeletedSubscriber(
    _ account: AccountID, leftBy identities: [Identity], in transaction: StoreTransaction
  ) throws {
    let apps = try transaction.rows(
      "SELECT DISTINCT app_id FROM orders WHERE account_id = $1", [.text(account.description)]
    ).map { try $0.text("app_id") }
    for app in apps {
      let customer = Customer(account: account.description, app: app)
      for group in try paidGroups(of: customer, in: transaction) {
        for identity in identities { try deletedSubscribers.record(identity, group, ofApp: app, in: transaction) }
      }
    }
  }
}

extension Migration {
  static let deletedSubscribers = [
    Migration(
      332, name: "subscribers of deleted accounts",
      sql: """
        CREATE TABLE deleted_subscribers(
          identity_hash TEXT NOT NULL, app_id TEXT NOT NULL, group_id TEXT NOT NULL, recorded_at BIGINT NOT NULL,
          PRIMARY KEY(identity_hash, app_id, group_id)) WITHOUT ROWID;
        CREATE INDEX deleted_subscribers_by_time ON deleted_subscribers(recorded_at);
        """,
      postgres: """
        CREATE TABLE deleted_subscribers(
          identity_hash TEXT COLLATE "C" NOT NULL, app_id TEXT COLLATE "C" NOT NULL,
          group_id TEXT COLLATE "C" NOT NULL, recorded_at BIGINT NOT NULL,
          PRIMARY KEY(identity_hash, app_id, group_id));
        CREATE INDEX deleted_subscribers_by_time ON deleted_subscribers(recorded_at);
        """)
  ]
}
