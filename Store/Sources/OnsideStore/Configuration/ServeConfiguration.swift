public import Logging
public import StoreBase
import StoreVault

/// Everything that `onside serve` can be told, from its file, the environment and its flags.
public struct ServeConfiguration: Sendable {
  /// How the store runs.
  public var store = StoreConfiguration()
  /// Where the store's data is.
  public var database = DatabaseLocation.sqlite(path: "onside.sqlite")
  /// The least important messages that are logged.
  public var logLevel: Logger.Level = .info
  /// How a log message is written.
  public var logFormat: LogFormat = .text

  /// The vault's guard file: the one that is named, else one beside the database file, or in the current folder when
  /// the database is on a server, with the database's name.
  public var vaultGuard: String { store.vault.guardPath ?? database.guardFile }

  /// The defaults: a sandbox in the current folder.
  public init() {}
}

/// How a log message is written.
public enum LogFormat: String, Sendable, CaseIterable {
  /// For people.
  case text
  /// One JSON object a line, for programs.
  case json
}
