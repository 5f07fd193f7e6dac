/// How often the vault's data has changed; what is committed together is one change. The guard file apart from the
/// database keeps the same number: a database that is behind it was put back from a backup.
struct VaultGeneration: Sendable, Hashable {
  /// Tells this database from every other.
  var mark: String
  var number: Int64
}
