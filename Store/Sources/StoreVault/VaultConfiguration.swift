/// How the vault of wallets is kept.
public struct VaultConfiguration: Sendable {
  /// The file by which a backup that was put back is noticed; nil for none. Without a path `onside serve` takes
  /// `onside.vault-guard` beside its database file; on PostgreSQL: `onside.vault-guard` in the current folder, one for
  /// each machine.
  public var guardPath: String?

  /// How long a machine without a guard file waits for another one to confirm that nothing was lost.
  var newGuardPatience = Duration.seconds(15)

  /// No guard file.
  public init() {}
}
