package import Logging
import ServiceLifecycle

/// Does a piece of work again and again until the store stops. A failure is logged, and the next time comes all the
/// same. Its writes are background writes.
package struct PeriodicService: Service {
  private let period: Duration
  private let name: String
  private let pausesFirst: Bool
  private let clock: any StoreClock
  private let logger: Logger
  private let work: @Sendable () async throws -> Void

  /// - Parameters:
  ///   - period: the pause between two times.
  ///   - name: names the work in the log: "NAME failed".
  ///   - pausesFirst: whether a pause comes before the first time.
  package init(
    every period: Duration, named name: String, pausesFirst: Bool = false, clock: any StoreClock, logger: Logger,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    self.period = period
    self.name = name
    self.pausesFirst = pausesFirst
    self.clock = clock
    self.logger = logger
    self.work = work
  }

  package func run() async {
    if pausesFirst { await pause() }
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await WritePriority.$isBackground.withValue(true) { try await work() }
      } catch is CancellationError where Task.isCancelled || Task.isShuttingDownGracefully {
        // The store stops meanwhile.
      } catch {
        logger.error("\(name) failed", metadata: ["error": "\(error.loggedName)"])
      }
      await pause()
    }
  }

  private func pause() async { try? await cancelWhenGracefulShutdown { try await clock.sleep(for: period) } }
}
