import Foundation
import OnsideKit

/// Waiting for what has to come, and telling the story when it does not.
extension OnsideTestSession {
  /// Waits until the latest transaction of a product is in a state.
  ///
  /// It looks as soon as something has happened; short pauses, in which something is tried again, pass by themselves.
  /// - Returns: the transaction, with its story.
  /// - Throws: a failure with the story, when the session's patience is over.
  @discardableResult
  public func transaction(
    of productIdentifier: String, in state: TestTransaction.State, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws -> TestTransaction {
    let site = CallSite(fileID, filePath, line, column)
    try await world.pass(site) {
      self.world.story.transactions(of: productIdentifier).last?.state == state
    } orFail: {
      "expected \(productIdentifier) to be \(state.rawValue) within \(self.world.patience), but "
        + self.world.lastStory(productIdentifier)
    }
    guard let last = transactions(of: productIdentifier).last else { throw CancellationError() }
    return last
  }

  /// Waits until something is so that other tasks bring about.
  /// - Parameters:
  ///   - words: what is waited for, as it goes on after "expected".
  ///   - isSo: looked at again and again, on the main actor.
  /// - Throws: a failure with everything that happened, when the session's patience is over.
  public func wait(
    until words: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, _ isSo: @MainActor () -> Bool
  ) async throws {
    try await world.pass(CallSite(fileID, filePath, line, column), until: isSo) {
      "expected \(words) within \(self.world.patience), but it did not come to that:\n\(self.story)"
    }
  }

  /// Expects that so many transactions of a product are in a state now, once everything under way has come to rest.
  /// - Throws: a failure with the stories of all of them.
  public func expect(
    _ productIdentifier: String, _ state: TestTransaction.State, times: Int = 1, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath, line, column)
    try await world.settle(site)
    let all = transactions(of: productIdentifier)
    let count = all.count { $0.state == state }
    guard count != times else { return }
    let stories = all.map(\.description).joined(separator: "\n")
    throw site.failure(
      "expected \(times) of \(productIdentifier) to be \(state.rawValue), got \(count) of \(all.count)\n\(stories)")
  }

  /// Every transaction of a product, or of all, in the order in which they came.
  public func transactions(of productIdentifier: String? = nil) -> [TestTransaction] {
    world.story.transactions(of: productIdentifier).compactMap { world.story.transaction($0.id) }
  }

  /// Everything that has happened, a line for each step.
  public var story: String { world.story.steps().map { "  \($0)" }.joined(separator: "\n") }
}

extension TestWorld {
  /// The story of the latest transaction of a product, or that there is none.
  func lastStory(_ productIdentifier: String) -> String {
    let last = story.transactions(of: productIdentifier).last.flatMap { story.transaction($0.id) }
    return last?.description
      ?? "there is no transaction of it:\n" + story.steps().map { "  \($0)" }.joined(separator: "\n")
  }
}
