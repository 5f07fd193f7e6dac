/// How often the vault's data has changed; what is committed together is one change. A guard file apart from the
/// database keeps the same number: a database that is behind it was put back from a backup.
struct VaultGeneration: Sendable, Hashable {
  /// Tells this database from every other. Where several machines share the database, it tells a machine's guard from
  /// every other guard.
  var mark: String
  /// The newest change; in a guard file, the newest one that was made with it.
  var number: Int64
  /// The newest change that a guard has seen, also of other machines; nil where there is one guard.
  var seen: Int64?
  /// In a guard file of one of several machines: the mark of the database.
  var database: String?
}
