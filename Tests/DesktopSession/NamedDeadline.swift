/// How long a test waits for something beside it; the error says what did not come.
struct NamedDeadline: Error, CustomStringConvertible {
  private static let patience = Duration.seconds(120)

  private let what: String
  private let end = ContinuousClock.now + Self.patience

  init(_ what: String) { self.what = what }

  var description: String { "expected \(what) within \(Self.patience)" }

  /// Returns when it is time for the next look; throws itself when time is up.
  func next() async throws {
    guard ContinuousClock.now < end else { throw self }
    try await Task.sleep(for: .milliseconds(10))
  }
}
