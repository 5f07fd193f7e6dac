/// How long a test waits for something beside it; the error says what did not come.
public struct NamedDeadline: Error, CustomStringConvertible {
  private static let patience = Duration.seconds(180)

  private let what: String
  private let end = ContinuousClock.now + Self.patience

  /// Begins now.
  public init(_ what: String) { self.what = what }

  /// What did not come.
  public var description: String { "expected \(what) within \(Self.patience)" }

  /// Returns when a condition holds; throws a deadline that names it otherwise.
  public static func wait(
    for what: String, every pause: Duration = .milliseconds(5), isolation: isolated (any Actor)? = #isolation,
    until isTrue: () async throws -> Bool
  ) async throws {
    let deadline = NamedDeadline(what)
    while try await !isTrue() { try await deadline.next(in: pause) }
  }

  /// Returns when it is time for the next look; throws itself when time is up.
  public func next(in pause: Duration = .milliseconds(1)) async throws {
    guard ContinuousClock.now < end else { throw self }
    try await Task.sleep(for: pause)
  }
}
