/// How long a test waits for something beside it; the error says what did not come.
package struct NamedDeadline: Error, CustomStringConvertible {
  private static let patience = Duration.seconds(120)

  private let what: String
  private let end = ContinuousClock.now + Self.patience

  package init(_ what: String) { self.what = what }

  package var description: String { "expected \(what) within \(Self.patience)" }

  /// Waits for a condition, which is looked at every 10 ms.
  /// - Parameter what: what is waited for, as it follows "expected" in the error.
  package static func wait(
    for what: String, isolation: isolated (any Actor)? = #isolation, until isSo: () async throws -> Bool
  ) async throws {
    let deadline = NamedDeadline(what)
    while try await !isSo() { try await deadline.next() }
  }

  /// Returns when it is time for the next look; throws itself when time is up.
  package func next() async throws {
    guard ContinuousClock.now < end else { throw self }
    try await Task.sleep(for: .milliseconds(10))
  }
}
