public import Foundation
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Logging
public import OnsideAPI
public import ServiceLifecycle
public import UnixSignals

/// The store as a running service: its routes, its server, and what runs beside them.
public struct StoreApplication: Sendable {
  /// Everything that the routes work with.
  public let core: StoreCore
  /// Every route that is served, with its limits.
  public let routes: [(route: Route, limits: RouteLimits)]
  private let responder: RouterResponder<StoreRequestContext>
  private let services: [any Service]

  /// A store with the routes of its core and the groups given.
  ///
  /// - Parameters:
  ///   - services: what must run beside the server for these groups.
  ///   - problemPage: shows a problem to a person on a browser's route; without it problems are JSON there too.
  public init(
    core: StoreCore, groups: [any RouteGroup] = [], services: [any Service] = [],
    problemPage: (@Sendable (Problem, Request) -> Response)? = nil
  ) {
    self.core = core
    self.services = services
    let routes = StoreRoutes(pipeline: RequestPipeline(core: core, problemPage: problemPage))
    for group in core.routeGroups + groups { group.addRoutes(to: routes) }
    self.routes = routes.mounted
    responder = routes.build().buildResponder()
  }

  /// The server, not running yet.
  ///
  /// - Parameter onListening: told the public address once the socket is open.
  public func application(
    onListening: @escaping @Sendable (URL) async -> Void = { _ in }
  ) -> Application<RouterResponder<StoreRequestContext>> {
    let configuration = core.dependencies.configuration
    let limits = configuration.limits
    return Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionEndHandler(), SlowClientHandler(limits: limits)],
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))),
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port),
        backlog: 1024,
        availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
      onServerRunning: { [core] channel in
        guard let port = channel.localAddress?.port else { return }
        core.address.listening(host: configuration.host, port: port)
        await onListening(core.address.url)
      },
      logger: core.dependencies.logger)
  }

  /// Serves until a signal comes or the task is cancelled. A stop lets requests in flight end, commits what was
  /// accepted, and takes ten seconds at most.
  ///
  /// - Parameter onListening: told the public address once the socket is open.
  public func run(
    gracefulShutdownSignals: [UnixSignal] = [.sigterm, .sigint],
    onListening: @escaping @Sendable (URL) async -> Void = { _ in }
  ) async throws {
    let logger = core.dependencies.logger
    try await DatabaseEnvironment(core.dependencies.configuration.environment).write(core.dependencies.database)
    if let count = try await core.vault.begin() {
      logger.warning(
        "an older database was put back: the vault's records have one try each", metadata: ["records": "\(count)"])
    }
    var configuration = ServiceGroupConfiguration(
      // Stopped from the end: first the polls wake, then the server drains, then the rest.
      services: core.services + services + [application(onListening: onListening), PollCloser(changes: core.changes)],
      gracefulShutdownSignals: gracefulShutdownSignals, logger: logger)
    configuration.maximumGracefulShutdownDuration = core.dependencies.configuration.limits.stopTimeout
    let result = await Result { try await ServiceGroup(configuration: configuration).run() }
    await core.dependencies.database.close()
    try result.get()
  }
}

/// Wakes the waiting polls when the store stops, so that they do not hold it up.
private struct PollCloser: Service {
  let changes: ChangeHub

  func run() async throws {
    try? await gracefulShutdown()
    changes.close()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
