import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import OnsideAPI
import ServiceLifecycle
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreWeb

/// A whole store of one test: its own file, its own clock, its own randomness.
struct TestStore {
  let folder: TemporaryFolder
  let clock: ManualClock
  let core: StoreCore

  /// A store; with the folder of an earlier one it goes on with that one's data.
  ///
  /// - Parameters:
  ///   - database: an open database; without one, the folder's ``TestDatabase``.
  ///   - isObserved: whether its database is an ``ObservedDatabase``.
  ///   - providers: its payment providers, the first one active; nil for those of the program.
  init(
    in folder: TemporaryFolder? = nil, clock: ManualClock = ManualClock(), seed: UInt64 = 1,
    logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
    sender: (any MessageSender)? = nil, database: (any Database)? = nil, isObserved: Bool = false,
    providers: [PaymentProviderFactory]? = nil, configure: (inout StoreConfiguration) -> Void = { _ in }
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    self.clock = clock
    var configuration = StoreConfiguration()
    configuration.commissionBasisPoints = 1000
    configuration.port = 0
    configure(&configuration)
    let database =
      if let database { database } else { try await TestDatabase.open(in: folder, now: clock.now()) }
    let dependencies = StoreDependencies(
      clock: clock, random: SeededRandomSource(seed: seed),
      database: isObserved ? ObservedDatabase(database) : database, logger: logger, configuration: configuration,
      sender: sender)
    core = try await StoreCore(
      dependencies, providers: providers ?? BuiltInProviders.factories(configuration))
  }

  /// The routes of the pages.
  var pages: [Route] {
    StoreApplication(core: core).routes.map(\.route).filter { $0.caller == .browser && $0 != .authorize }
  }

  /// Calls the routes without a socket. Nothing runs beside them; ``advance(by:)`` fires what is due.
  func test(
    _ groups: [any RouteGroup] = [], _ body: @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    try await StoreApplication(core: core, adding: groups).application().test(.router, body)
  }

  /// Runs the whole service on a free port of 127.0.0.1 and stops it gracefully afterwards.
  func live(_ groups: [any RouteGroup] = [], _ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let (addresses, listening) = AsyncStream.makeStream(of: URL.self)
    let service = LiveService(application: StoreApplication(core: core, adding: groups), listening: listening)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: [service], logger: core.dependencies.logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      for await address in addresses {
        try await body(address)
        break
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  /// Returns when so many deadlines are set: a clock that moves before a deadline is set never reaches it.
  func deadlines(_ count: Int) async throws {
    let deadline = NamedDeadline("\(count) deadlines to be set")
    while core.deadlines.count < count { try await deadline.next() }
  }

  /// Moves the clock and fires the deadlines that are due.
  func advance(by duration: Duration) {
    clock.advance(by: duration)
    core.deadlines.fire()
  }
}

private struct LiveService: Service {
  let application: StoreApplication
  let listening: AsyncStream<URL>.Continuation

  func run() async throws {
    defer { listening.finish() }
    try await application.run(gracefulShutdownSignals: []) { listening.yield($0) }
  }
}

extension TestStore {
  /// The account that tokens are of. The app knows it by its subject.
  func account(of tokens: TokenMessage) -> AccountID {
    let claims = core.accessToken.verify(tokens.accessToken, now: .distantPast)
    guard let id = claims.flatMap({ AccountID($0.accountID) }) else {
      preconditionFailure("expected an access token of this store, got \(tokens.accessToken)")
    }
    return id
  }
}
