package import StoreBase

/// What notices that the vault's database has lost commits: an older one was put back, or a standby without them became
/// the primary. As a ``CommitHook`` it raises the generation once for all changes of the vault that are flushed
/// together, and its guard file before any of their requests is answered.
package protocol VaultGuarding: CommitHook {
  /// Refuses a change of the vault before it is made while the guard proves nothing: it would be counted, and not
  /// answered.
  func requireProven(in connection: any SQLConnection) throws

  /// Compares the database with the guard file. Changes nothing. A guard file that cannot be read is an error: wallets
  /// must not lose their tries to wrong file permissions or a lack of file descriptors.
  func standing() async throws -> VaultStanding

  /// Runs before the store serves. When the database has lost commits, every record gets one try. Returns the number of
  /// these records; nil when nothing was lost.
  @discardableResult
  func begin() async throws -> Int?

  /// Looks for lost commits while the store serves, where they can be lost then.
  func watch() async throws
}

/// The result of comparing the vault's database with its guard file.
package enum VaultStanding: Sendable {
  /// Nothing was lost, as far as the guard knows.
  case current
  /// The database is older than the guard file, or the guard file is missing or belongs to another database.
  case restored
}
