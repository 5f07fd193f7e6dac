public import Testing

/// What a run of the suite is made on; see docs/behaviours.md.
public struct Column: Hashable, Sendable, Codable {
  /// The letter in the tables.
  public let letter: String
  /// What runs.
  public let name: String
  /// How the names of the suites begin that it has cases of; all have some when it is nil.
  let suite: String?

  /// The SDK on a `.storekit` file.
  public static let local = Column(letter: "L", name: "a local .storekit file, no network")
  /// The SDK against the store over HTTP on loopback, SQLite.
  public static let store = Column(letter: "S", name: "the store over HTTP, SQLite")
  /// The SDK against two stores behind a proxy that gives them requests by turns, on one PostgreSQL.
  public static let postgres = Column(letter: "P", name: "two stores on one PostgreSQL, by turns")
  /// Web pages in WebKitGTK.
  public static let webView = Column(letter: "W", name: "web pages in WebKitGTK, against S", suite: "Web")
  /// Web pages in Chromium, over the development host.
  public static let browser = Column(
    letter: "B", name: "web pages in Chromium, over the development host, against S", suite: "Web")
  /// The parts, each by itself.
  public static let parts = Column(letter: "T", name: "the parts in process, by the tests of `swift test`")
  /// A running store, seen from outside.
  public static let running = Column(letter: "R", name: "a running store, from outside", suite: "BlackBoxTests")
  /// The columns that this program runs, in the order of the tables.
  public static let all = withoutServer + [postgres]
  /// Those of them that run without a database server.
  public static let withoutServer = [local, store, webView, browser]

  /// The column of this run.
  @TaskLocal public static var current = Column.store

  /// How many stores share the database of a case.
  public var stores: Int { self == .postgres ? 2 : 1 }

  /// The column of a letter.
  public init?(letter: String) {
    guard let column = Self.all.first(where: { $0.letter == letter.uppercased() }) else { return nil }
    self = column
  }

  private init(letter: String, name: String, suite: String? = nil) {
    self.letter = letter
    self.name = name
    self.suite = suite
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs the case in some columns only; what runs in column S runs in column P.
  ///
  /// - Parameter reason: why the others have nothing to show; it stands in their cells.
  public static func columns(_ columns: Column..., because reason: String) -> Self {
    .enabled(if: columns.contains(Column.current == .postgres ? .store : .current), Comment(rawValue: reason))
  }
}
