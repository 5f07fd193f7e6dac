import Foundation
import Logging
import OnsideAPI
import Synchronization

/// Keeps events until the store has them. Adding one takes a lock for a moment; disk and network are worked on by two
/// tasks of their own.
///
/// An event is on the disk as soon as the writer is free: events that come during a write share the next one. What a
/// kill can cost is the write under way. Batches are sent one after the other, the oldest first.
final class EventQueue: Sendable {
  private let store: any Store
  private let installation: Installation
  private let dependencies: Dependencies
  private let folder: EventFolder
  private let backlog = Mutex(EventBacklog())
  private let toWrite: AsyncStream<Void>.Continuation
  private let toSend: AsyncStream<Void>.Continuation
  private let tasks = Mutex<(writer: Task<Void, Never>, sender: Task<Void, Never>)?>(nil)

  /// How long the first event waits for company, in seconds.
  private static let gathering = 2.0

  /// Starts the queue. Nothing is read or sent before this returns.
  init(store: any Store, installation: Installation, dependencies: Dependencies) {
    self.store = store
    self.installation = installation
    self.dependencies = dependencies
    folder = EventFolder(dependencies)
    let (writes, toWrite) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (sends, toSend) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.toWrite, self.toSend) = (toWrite, toSend)
    let writer = Task.detached { [weak self] in
      let lock = await self?.load()
      for await _ in writes { await self?.write() }
      withExtendedLifetime(lock) {}
    }
    let sender = Task.detached { [weak self] in
      for await _ in sends { await self?.send() }
    }
    tasks.withLock { $0 = (writer, sender) }
  }

  deinit { cancel() }

  /// Ends without a word: nothing more is written or sent.
  func cancel() {
    toWrite.finish()
    toSend.finish()
    tasks.withLock { $0?.sender.cancel() }
  }

  /// How many events the store has not heard of.
  var count: Int { backlog.withLock { $0.count } }

  /// Keeps an event.
  func add(_ event: EventMessage) {
    let dropped = backlog.withLock { backlog in
      let before = backlog.dropped
      backlog.add(event, to: event.id.description)
      return before == 0 && backlog.dropped > 0
    }
    if dropped {
      dependencies.logger.warning(
        "More than \(EventBacklog.limit) events wait for the store; from now on the oldest are dropped")
    }
    toWrite.yield()
    toSend.yield()
  }

  /// Sends nothing more; returns when everything is on the disk.
  func close() async {
    let tasks = tasks.withLock { $0 }
    toSend.finish()
    tasks?.sender.cancel()
    await tasks?.sender.value
    toWrite.yield()
    toWrite.finish()
    await tasks?.writer.value
  }

  private func load() async -> (any Sendable)? {
    // Another process with the same folder has what is there; this one keeps its own.
    guard let lock = folder.lock() else { return nil }
    let older = folder.load()
    backlog.withLock { $0.restore(older) }
    if !older.isEmpty { toSend.yield() }
    return lock
  }

  private func write() async {
    let changes = backlog.withLock { $0.takeChanges() }
    guard !changes.isEmpty else { return }
    do {
      try folder.apply(changes)
    } catch {
      backlog.withLock { $0.putBack(changes) }
      dependencies.logger.error("Events cannot be kept on the disk, they last as long as the process: \(error)")
    }
  }

  private func send() async {
    guard (try? await dependencies.sleep(Self.gathering)) != nil else { return }
    var failures = 0
    var lastPause: Pause?
    while !Task.isCancelled, let batch = backlog.withLock({ $0.next() }) {
      switch await outcome(of: batch) {
      case .settled:
        failures = 0
        backlog.withLock { $0.settled() }
        toWrite.yield()
      case .repeated(let pause):
        // A long time without a network says nothing about the store.
        failures = pause == lastPause ? failures + 1 : 1
        lastPause = pause
        backlog.withLock { $0.failed() }
        let jitter = dependencies.randomBytes(1).first ?? 0
        let delay = BackOff.seconds(attempt: failures, pause: pause, jitter: jitter)
        guard (try? await dependencies.sleep(delay)) != nil else { return }
      }
    }
  }

  private enum Outcome {
    case settled
    case repeated(after: Pause)
  }

  /// A batch that the store refuses for what it is would be refused for ever: it is given up.
  private func outcome(of batch: EventBacklog.Batch) async -> Outcome {
    let request = EventsRequest(installationID: await installation.id(), events: batch.events)
    do throws(StoreError) {
      try await store.report(request)
      return .settled
    } catch {
      guard case .refused(let code) = error else {
        return .repeated(after: error == .serviceUnavailable ? .busy : .long)
      }
      dependencies.logger.error("The store refuses \(batch.events.count) events (\(code)); they are dropped")
      return .settled
    }
  }
}
