import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreBase

@Suite("Periodic work", .timeLimit(.minutes(5)))
struct PeriodicServiceTests {
  private struct Failed: Error {}

  /// A clock whose pauses end at once.
  private struct BriefClock: StoreClock {
    func now() -> Date { Date(timeIntervalSince1970: 1_780_000_000) }
    func uptime() -> Duration { .zero }
    func sleep(for duration: Duration) async throws { await Task.yield() }
  }

  /// Logs work with some outcomes, and further successes.
  private func log(of outcomes: [Bool], logsRepeats: Bool) async throws -> LogRecorder {
    let log = LogRecorder()
    let count = Mutex(0)
    let service = PeriodicService(
      every: .seconds(1), named: "work", logsRepeats: logsRepeats, clock: BriefClock(), logger: log.logger
    ) {
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number <= outcomes.count, !outcomes[number - 1] { throw Failed() }
    }
    let task = Task { await service.run() }
    try await NamedDeadline.wait(for: "the work") { count.withLock { $0 } > outcomes.count }
    task.cancel()
    await task.value
    return log
  }

  @Test("Each failure is logged, or the first one of a series and its end", arguments: [true, false])
  func failures(logsRepeats: Bool) async throws {
    let log = try await log(of: [true, false, false, false, true, false], logsRepeats: logsRepeats)
    let ends = log.text.split(separator: "\n").count { $0.hasPrefix("notice work has succeeded again") }
    #expect(log.warnings.allSatisfy { $0 == "work failed" })
    #expect(log.warnings.count == (logsRepeats ? 4 : 2) && ends == (logsRepeats ? 0 : 2))
  }
}
