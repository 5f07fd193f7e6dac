/// What a store of a test keeps its data in.
public enum TestEngine: String, CaseIterable, Sendable {
  /// A file of SQLite.
  case sqlite
  /// A database of PostgreSQL.
  case postgres

  /// The engines that this build has.
  public static var allCases: [TestEngine] {
    #if ONSIDE_WITHOUT_POSTGRES
      [.sqlite]
    #else
      [.sqlite, .postgres]
    #endif
  }
}
