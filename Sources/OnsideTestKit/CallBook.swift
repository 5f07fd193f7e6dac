import Foundation
import OnsideAPI
import OnsideKit
import Synchronization

/// The open store calls of one launch, and which of them rest: those have no effect until the test or the store acts.
final class CallBook: Sendable {
  struct Call: Sendable {
    let kind: StoreCall
    /// What a sync waits for.
    var poll: (account: AccountID, cursor: String)?
    var rests = false
  }

  /// Lets what happens within a call say that it rests.
  @TaskLocal static var current: Mark?

  struct Mark: Sendable {
    let book: CallBook
    let number: Int
    func rest(_ rests: Bool) { book.calls.withLock { $0.open[number]?.rests = rests } }
  }

  private let calls = Mutex<(open: [Int: Call], last: Int)>(([:], 0))

  var open: [Call] { calls.withLock { Array($0.open.values) } }

  func run<Value: Sendable>(
    _ call: Call, _ body: @Sendable () async throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let number = calls.withLock { calls in
      calls.last += 1
      calls.open[calls.last] = call
      return calls.last
    }
    let result: Result<Value, StoreError> = await withTaskCancellationHandler {
      await Self.$current.withValue(Mark(book: self, number: number)) {
        do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
      }
    } onCancel: {
      end(number)
    }
    end(number)
    return try result.get()
  }

  private func end(_ number: Int) { calls.withLock { $0.open[number] = nil } }
}
