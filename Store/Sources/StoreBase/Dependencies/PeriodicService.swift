package import Logging
import ServiceLifecycle

/// Does a piece of work again and again until the store stops. A failure is logged, and the next time comes all the
/// same. Its writes are background writes.
package struct PeriodicService: Service {
  private let period: Duration
  private let name: String
  private let pausesFirst: Bool
  private let logsRepeats: Bool
  private let clock: any StoreClock
  private let logger: Logger
  private let work: @Sendable () async throws -> Void

  /// - Parameters:
  ///   - period: the pause between two times.
  ///   - name: names the work in the log: "NAME failed".
  ///   - pausesFirst: whether a pause comes before the first time.
  ///   - logsRepeats: whether each failure is logged; otherwise the first one of a series, and its end.
  package init(
    every period: Duration, named name: String, pausesFirst: Bool = false, logsRepeats: Bool = true,
    clock: any StoreClock, logger: Logger, _ work: @escaping @Sendable () async throws -> Void
  ) {
    self.period = period
    self.name = name
    self.pausesFirst = pausesFirst
    self.logsRepeats = logsRepeats
    self.clock = clock
    self.logger = logger
    self.work = work
  }

  package func run() async {
    if pausesFirst { await pause() }
    var isFailing = false
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        try await WritePriority.$isBackground.withValue(true) { try await work() }
        if isFailing, !logsRepeats { logger.notice("\(name) has succeeded again") }
        isFailing = false
      } catch is CancellationError where Task.isCancelled || Task.isShuttingDownGracefully {
        // The store stops meanwhile.
      } catch {
        if logsRepeats || !isFailing { logger.error("\(name) failed", metadata: ["error": "\(error.loggedName)"]) }
        isFailing = true
      }
      await pause()
    }
  }

  private func pause() async { try? await cancelWhenGracefulShutdown { try await clock.sleep(for: period) } }
}
