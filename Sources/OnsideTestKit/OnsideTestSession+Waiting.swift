import Foundation
import OnsideKit

/// Waiting for expected results; a failure has the story in its text.
extension OnsideTestSession {
  /// Waits until the latest transaction of a product is in a state.
  ///
  /// The condition is checked again and again. When everything rests, the clock moves on to the next retry by itself,
  /// at most ten simulated minutes in all; anything later needs ``advance(by:fileID:filePath:line:column:)``.
  ///
  /// ```swift
  /// try await phone.buy("coins_100")
  /// try await session.transaction(of: "coins_100", in: .finished)
  /// ```
  ///
  /// - Parameters:
  ///   - productIdentifier: the product.
  ///   - state: the expected state; ``TestTransaction/State/finished`` means that the app has finished it and the store
  ///     knows.
  /// - Returns: the transaction, with its story.
  /// - Throws: a failure with the transaction's story, when the session's ``patience`` is over, or at once when the
  ///   transaction is in a final state, such as failed, and every device is at rest.
  @discardableResult
  public func transaction(
    of productIdentifier: String, in state: TestTransaction.State, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws -> TestTransaction {
    let site = CallSite(fileID, filePath: filePath, line: line, column: column)
    let (story, patience) = (world.story, world.patience)
    try await world.pass(site) {
      story.last(of: productIdentifier)?.state == state
    } unless: {
      guard let last = story.last(of: productIdentifier), !last.state.canBecome(state) else { return nil }
      return "expected \(productIdentifier) to be \(state.rawValue), but it can no longer be: "
        + self.world.lastStory(productIdentifier)
    } orFail: {
      "expected \(productIdentifier) to be \(state.rawValue) within \(patience), but "
        + self.world.lastStory(productIdentifier)
    }
    guard let last = transactions(of: productIdentifier).last else { throw CancellationError() }
    return last
  }

  /// Waits until a condition of the test's own is true, for results of tasks that the session does not know.
  ///
  /// - Parameters:
  ///   - words: what is waited for, as it follows "expected" in the failure's text.
  ///   - isSo: the condition, checked again and again on the main actor.
  /// - Throws: a failure with everything that happened, when the session's ``patience`` is over.
  public func wait(
    until words: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, _ isSo: @MainActor () -> Bool
  ) async throws {
    try await world.pass(CallSite(fileID, filePath: filePath, line: line, column: column), until: isSo) {
      "expected \(words) within \(self.world.patience), but it did not come to that:\n\(self.story)"
    }
  }

  /// Expects that a number of transactions of a product are in a state now, once everything under way has settled.
  ///
  /// - Parameters:
  ///   - productIdentifier: the product.
  ///   - state: the expected state.
  ///   - times: how many transactions of the product are in that state, exactly.
  /// - Throws: a failure with the stories of all transactions of the product.
  public func expect(
    _ productIdentifier: String, _ state: TestTransaction.State, times: Int = 1, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath: filePath, line: line, column: column)
    try await world.settle(site)
    let all = transactions(of: productIdentifier)
    let count = all.count { $0.state == state }
    guard count != times else { return }
    let stories = all.map(\.description).joined(separator: "\n")
    throw site.failure(
      "expected \(times) of \(productIdentifier) to be \(state.rawValue), got \(count) of \(all.count)\n\(stories)")
  }

  /// The transactions of a product, or of all products with `nil`, on all devices, in the order in which they came.
  public func transactions(of productIdentifier: String? = nil) -> [TestTransaction] {
    world.story.transactions(of: productIdentifier).compactMap { world.story.transaction($0.id) }
  }

  /// Everything that has happened in the session, one line for each step: time, device, what.
  public var story: String { world.story.steps().map { "  \($0)" }.joined(separator: "\n") }
}

extension TestWorld {
  /// The story of the latest transaction of a product, or that there is none.
  func lastStory(_ productIdentifier: String) -> String {
    let last = story.last(of: productIdentifier).flatMap { story.transaction($0.id) }
    return last?.description
      ?? "there is no transaction of it:\n" + story.steps().map { "  \($0)" }.joined(separator: "\n")
  }
}
