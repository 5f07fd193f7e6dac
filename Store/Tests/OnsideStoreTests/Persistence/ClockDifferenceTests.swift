import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("This machine's clock and the database server's", .timeLimit(.minutes(2)))
struct ClockDifferenceTests {
  private static let noon = Date(timeIntervalSince1970: 1_780_000_000)

  /// The warnings of a start, with a server whose clock differs by some seconds.
  private func warnings(_ seconds: TimeInterval) async throws -> [String] {
    let (store, log) = (try await TestStore(), LogRecorder())
    let database = ServedDatabase(store.core.dependencies.database, difference: ClockDifference(seconds: seconds))
    try await ClockDifference.check(database, clock: store.clock, logger: log.logger)
    return log.warnings
  }

  @Test("more than 4 s apart: the store does not start, and says by how much", arguments: [4.1, -3600])
  func refused(seconds: TimeInterval) async throws {
    await #expect(throws: ClockTooFarOff(difference: ClockDifference(seconds: seconds))) {
      try await warnings(seconds)
    }
    let text = ClockTooFarOff(difference: ClockDifference(seconds: -31.46)).description
    #expect(text.contains("within 4 s") && text.contains("got one that is 31.5 s behind it."))
    #expect(ClockDifference(seconds: 4.1).relation(to: "it") == "4.1 s ahead of it")
  }

  @Test("more than a second apart: the store warns", arguments: [1.1, -4])
  func warned(seconds: TimeInterval) async throws {
    let warningCount = try await warnings(seconds).count
    #expect(warningCount == 1)
  }

  @Test("less than a second apart: the store says nothing", arguments: [0, 1, -1])
  func near(seconds: TimeInterval) async throws {
    let actualWarnings = try await warnings(seconds)
    #expect(actualWarnings.isEmpty)
  }

  @Test("A slow answer proves no more than it can: the server's time lies between question and answer")
  func uncertain() {
    func seconds(_ server: TimeInterval, answered: TimeInterval) -> TimeInterval {
      ClockDifference(asked: Self.noon, server: Self.noon + server, answered: Self.noon + answered).seconds
    }
    #expect(seconds(0, answered: 0) == 0)
    #expect(seconds(40, answered: 0) == -40)
    #expect(seconds(-40, answered: 0) == 40)
    #expect(seconds(0, answered: 60) == 0)
    #expect(seconds(60, answered: 60) == 0)
    #expect(seconds(70, answered: 60) == -10)
    #expect(seconds(-10, answered: 60) == 10)
  }

  @Test("A database without a server has nothing to compare with")
  func noServer() async throws {
    let store = try await TestStore()
    let database = try SQLiteDatabase.open(at: store.folder.file("own.db"), now: Self.noon)
    let clockDifference = try await database.clockDifference(of: store.clock)
    #expect(clockDifference == nil)
    await database.close()
  }
}

/// A database whose server's clock differs.
private final class ServedDatabase: ForwardingDatabase {
  let base: any Database
  private let difference: ClockDifference

  init(_ base: any Database, difference: ClockDifference) { (self.base, self.difference) = (base, difference) }

  func clockDifference(of clock: any StoreClock) async throws -> ClockDifference? { difference }
}
