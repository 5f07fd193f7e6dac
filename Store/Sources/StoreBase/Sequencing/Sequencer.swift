import Logging
import ServiceLifecycle

/// Numbers committed rows five times a second, on each process of a store.
package struct Sequencer: Service {
  private static let period: Duration = .milliseconds(200)
  /// The most rows that one transaction numbers: other writes wait for it.
  private static let batchLimit = 500

  package let dependencies: BaseDependencies
  private let kinds: [any NumberedRows]

  package init(_ dependencies: BaseDependencies, rows: [any NumberedRows]) {
    self.dependencies = dependencies
    kinds = rows
  }

  /// Numbers all waiting rows now, as the running store does. The rows of other processes are among them.
  package func assign() async throws {
    for rows in kinds { try await assign(rows) }
  }

  /// Numbers waiting rows until the store stops, and then those of its last writes.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      for rows in kinds { group.addTask { await self.periodic(rows).run() } }
    }
    do { try await assign() } catch {
      dependencies.logger.error("the last rows are not numbered", metadata: ["error": "\(error.loggedName)"])
    }
  }

  private func periodic(_ rows: any NumberedRows) -> PeriodicService {
    PeriodicService(
      every: Self.period, named: "numbering of \(rows.name)", logsRepeats: false, clock: dependencies.clock,
      logger: dependencies.logger
    ) {
      try await self.assign(rows)
    }
  }

  /// Numbers the waiting rows of one kind now. Pages and mails wait for the numbers: the writes are no background
  /// writes.
  package func assign(_ rows: any NumberedRows) async throws {
    guard try await dependencies.database.read({ try rows.isWaiting(in: $0) }) else { return }
    var count = 0
    repeat {
      count = try await WritePriority.$isBackground.withValue(false) {
        try await dependencies.database.write(at: dependencies.clock.now()) {
          try rows.assignNumbers(limit: Self.batchLimit, in: $0)
        }
      }
    } while count >= Self.batchLimit
  }
}
