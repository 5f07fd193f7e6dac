import Foundation
import Logging
import ServiceLifecycle
package import StoreBase
package import StorePayments

/// Asks the providers once a day for the list of what happened, and takes in what was lost on its way. What was told
/// before changes nothing.
package struct ProviderEventSweep: Service {
  /// Seconds between two sweeps of a provider.
  static let period: TimeInterval = 86_400
  /// How many seconds a sweep reaches back before the one before it: a provider's list may lag behind.
  static let overlap: TimeInterval = 3600
  /// The most parts of a list that one sweep reads.
  private static let longestList = 10_000

  package let events: ProviderEventService
  package let providers: PaymentProviders
  package let dependencies: BaseDependencies

  package init(events: ProviderEventService, providers: PaymentProviders, dependencies: BaseDependencies) {
    self.events = events
    self.providers = providers
    self.dependencies = dependencies
  }

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      for provider in providers.all {
        do {
          try await sweepIfDue(provider)
        } catch {
          dependencies.logger.error(
            "event sweep failed",
            metadata: ["provider": "\(provider.name)", "error": "\(error.loggedName)"])
        }
      }
      try? await cancelWhenGracefulShutdown { try await dependencies.clock.sleep(for: .seconds(600)) }
    }
  }

  /// Sweeps a provider whose last sweep is a day ago. The first one of a store is a day after its start.
  ///
  /// - Returns: how many notices were new; nil when it was not due.
  @discardableResult
  func sweepIfDue(_ provider: any PaymentProvider) async throws -> Int? {
    let (now, name) = (dependencies.clock.now(), "payments_swept.\(provider.name)")
    let last = try await dependencies.database.write { connection in
      try StoreSettings(connection: connection).value(name, orSet: String(now.millisecondsSince1970))
    }
    guard let last = Int64(last).map({ Date(millisecondsSince1970: $0) }) else {
      throw StorageError.unexpectedValue(column: name, expected: "milliseconds since 1970")
    }
    guard last + Self.period <= now else { return nil }
    let count = try await sweep(provider, since: last - Self.overlap)
    try await dependencies.database.write {
      try StoreSettings(connection: $0).set(name, to: String(now.millisecondsSince1970))
    }
    return count
  }

  /// Takes in what a provider lists since a time. A notice that cannot be applied does not keep the others back.
  private func sweep(_ provider: any PaymentProvider, since start: Date) async throws -> Int {
    var (count, cursor) = (0, String?.none)
    for _ in 0..<Self.longestList {
      let page = try await provider.notices(since: start, after: cursor)
      for notice in page.notices {
        do {
          if try await events.take(notice, from: provider) { count += 1 }
        } catch let error as PaymentError {
          dependencies.logger.error(
            "a listed event cannot be applied", metadata: ["event": "\(notice.id)", "reason": "\(error.code)"])
        }
      }
      guard let next = page.cursor else { break }
      cursor = next
    }
    if count > 0 {
      dependencies.logger.warning(
        "events had been lost", metadata: ["provider": "\(provider.name)", "events": "\(count)"])
    }
    return count
  }
}
