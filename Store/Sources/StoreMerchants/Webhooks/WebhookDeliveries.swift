import Foundation
import Logging
import ServiceLifecycle
package import StoreBase
import Synchronization

/// Delivers the events of the feed to the endpoints of their apps, on each process of a store.
///
/// An endpoint has a lease, a cursor and requests of its own: a dead endpoint delays no other.
package final class WebhookDeliveries: Service {
  /// The pause between two looks for due endpoints; numbers of events begin one at once.
  private static let period: Duration = .milliseconds(200)

  private let dependencies: BaseDependencies
  private let seal: SecretSeal
  private let sender: any WebhookSending
  private let looks: AsyncStream<Void>
  private let looking: AsyncStream<Void>.Continuation
  private let marks = Mutex(FeedMarks())

  package init(_ dependencies: BaseDependencies, secrets: StoreSecrets, sender: any WebhookSending) {
    self.dependencies = dependencies
    self.sender = sender
    seal = SecretSeal(purpose: WebhookSecret.sealPurpose, secrets: secrets, random: dependencies.random)
    (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Looks for due endpoints now.
  package func wake() { looking.yield() }

  /// Delivers until the store stops.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.tick() }
      for await _ in looks where !Task.isShuttingDownGracefully {
        for run in await claim(waits: true) { group.addTask { await self.deliver(run) } }
      }
    }
  }

  /// Delivers the due events without waiting for earlier ones of their objects, and returns the number of served
  /// endpoints.
  @discardableResult
  package func drain() async -> Int {
    let runs = await claim(waits: false)
    await withDiscardingTaskGroup { group in
      for run in runs { group.addTask { await self.deliver(run) } }
    }
    return runs.count
  }

  private func tick() async {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      wake()
      try? await cancelWhenGracefulShutdown { try await self.dependencies.clock.sleep(for: Self.period) }
    }
    looking.finish()
  }

  private func deliver(_ run: EndpointRun) async {
    do {
      try await WritePriority.$isBackground.withValue(true) { try await run.run() }
    } catch {
      // The lease expires, and the requests are repeated.
      dependencies.logger.error(
        "deliveries to a webhook endpoint failed",
        metadata: ["endpoint": "\(run.lease.endpoint)", "error": "\(error.loggedName)"])
    }
  }
}

extension WebhookDeliveries {
  /// Claims the due endpoints.
  private func claim(waits: Bool) async -> [EndpointRun] {
    do {
      let ids = try await due()
      guard !ids.isEmpty else { return [] }
      let token = dependencies.random.token(bytes: 9)
      let clock = dependencies.clock
      let claimed = try await WritePriority.$isBackground.withValue(true) {
        try await dependencies.database.write(at: clock.now()) { transaction in
          // The time of the write: a background write may wait for others.
          let machineNow = clock.unmovedNow()
          let epoch = try SyncEpoch.current(in: transaction)
          return try ids.compactMap { id in
            let lease = EndpointLease(endpoint: id, token: token, epoch: epoch)
            return try EndpointLeaseRecords.claim(lease, machineNow: machineNow, in: transaction).map { (lease, $0) }
          }
        }
      }
      return claimed.map { lease, cursor in
        EndpointRun(
          lease: lease, cursor: cursor, waits: waits, dependencies: dependencies, seal: seal, sender: sender)
      }
    } catch {
      dependencies.logger.error("due webhooks cannot be read", metadata: ["error": "\(error.loggedName)"])
      return []
    }
  }

  /// The ids of endpoints with due retries or new events of their types.
  private func due() async throws -> [String] {
    let (now, machineNow) = (dependencies.clock.now(), dependencies.clock.unmovedNow())
    let earlier = marks.withLock { $0 }
    let (ids, later) = try await dependencies.database.read { connection in
      var marks = try earlier.marks(of: SyncEpoch.current(in: connection))
      let ids = try EndpointLeaseRecords.candidates(at: now, machineNow: machineNow, in: connection)
        .filter { try $0.hasDueRetry || marks.hasEvents(for: $0, in: connection) }
        .map(\.id)
      return (ids, marks)
    }
    marks.withLock { $0 = later }
    return ids
  }
}

/// The newest numbers up to which the feed has no events of endpoints' types: an endpoint with few types is claimed for
/// its events only.
private struct FeedMarks: Sendable {
  /// The distance at which a cursor is written without an event.
  private static let distance: Int64 = 5000

  private var epoch = ""
  private var numbers: [String: Int64] = [:]

  /// The same marks; none in another epoch, because its numbers may be lower.
  func marks(of epoch: String) -> FeedMarks {
    if epoch == self.epoch { return self }
    var marks = FeedMarks()
    marks.epoch = epoch
    return marks
  }

  mutating func hasEvents(
    for candidate: EndpointLeaseRecords.Candidate, in connection: any SQLConnection
  ) throws -> Bool {
    guard !candidate.types.isEmpty else { return candidate.cursor < candidate.newest }
    let start = max(candidate.cursor, numbers[candidate.id] ?? 0)
    let query = FeedQuery(app: candidate.app, types: candidate.types, limit: 1)
    let page = try FeedRecords.page(after: start, of: query, in: connection)
    guard page.events.isEmpty else { return true }
    let mark = page.cursor?.number ?? start
    numbers[candidate.id] = mark
    return mark - candidate.cursor >= Self.distance
  }
}
