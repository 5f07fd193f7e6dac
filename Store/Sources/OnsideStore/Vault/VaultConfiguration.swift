/// How the vault of wallets is kept.
public struct VaultConfiguration: Sendable {
  /// The file beside the database by which a backup that was put back is noticed; nil for none. `onside serve` takes
  /// one beside its database.
  public var guardPath: String?

  /// How long a machine without a guard file waits for another one to vouch for the database.
  var newGuardPatience = Duration.seconds(15)

  /// No guard file.
  public init() {}
}
