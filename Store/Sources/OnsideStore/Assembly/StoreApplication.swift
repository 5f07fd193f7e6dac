public import Foundation
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Logging
public import OnsideAPI
import ServiceLifecycle
import StoreAccounts
import StoreBase
import StoreVault
public import StoreWeb
public import UnixSignals

/// The store as a running service: all its routes, its server, and what runs beside them.
public struct StoreApplication: Sendable {
  /// Everything that the routes work with.
  public let core: StoreCore
  /// Every route that is served, with its limits.
  public let routes: [(route: Route, limits: RouteLimits)]
  private let responder: RouterResponder<StoreRequestContext>
  private let monitoringResponder: RouterResponder<StoreRequestContext>

  /// A store with all its routes.
  ///
  /// - Parameter groups: further routes.
  public init(core: StoreCore, adding groups: [any RouteGroup] = []) {
    self.core = core
    let pages = PageResponder(core: core)
    let routes = StoreRoutes(pipeline: Self.pipeline(core, pages))
    for group in Self.routes(core, pages) + groups { group.addRoutes(to: routes) }
    self.routes = routes.mounted
    responder = routes.build().buildResponder()
    // Its own counts of requests: those of clients take nothing from it.
    let monitoring = StoreRoutes(pipeline: Self.pipeline(core, pages))
    for group in Self.monitoringRoutes(core) { group.addRoutes(to: monitoring) }
    monitoringResponder = monitoring.build().buildResponder()
  }

  private static func pipeline(_ core: StoreCore, _ pages: PageResponder) -> RequestPipeline {
    let dependencies = core.dependencies
    return RequestPipeline(
      limits: dependencies.configuration.limits, proxies: dependencies.configuration.proxies,
      callers: StoreCallerAuthentication(core), deadlines: core.deadlines, clock: dependencies.clock,
      metrics: dependencies.metrics, tracer: dependencies.tracer
    ) { pages.problem(PageProblem($0), for: $1) }
  }

  /// The server, not running yet.
  ///
  /// - Parameter onListening: told the public address once the socket is open.
  public func application(
    onListening: @escaping @Sendable (URL) async -> Void = { _ in }
  ) -> Application<RouterResponder<StoreRequestContext>> {
    let configuration = core.dependencies.configuration
    let limits = configuration.limits
    // All connections of a proxy come from its own network.
    let perNetwork = configuration.isBehindProxy ? limits.connections : limits.connectionsPerNetwork
    return server(
      responder, host: configuration.host, port: configuration.port, connections: limits.connections,
      perNetwork: perNetwork
    ) { [core] port in
      core.address.listening(host: configuration.host, port: port)
      await core.storeAddress()
      await onListening(core.address.url)
    }
  }

  /// The server for health checks and metrics, not running yet: it answers while the clients' connections are used up.
  var monitoringServer: (any Service)? {
    let (configuration, logger) = (core.dependencies.configuration.monitoring, core.dependencies.logger)
    guard let port = configuration.port else { return nil }
    return server(
      monitoringResponder, host: configuration.host, port: port, connections: Self.monitoringConnections,
      perNetwork: Self.monitoringConnections
    ) { port in
      logger.notice("health and metrics are served", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
    }
  }

  private static let monitoringConnections = 100

  private func server(
    _ responder: RouterResponder<StoreRequestContext>, host: String, port: Int, connections: Int, perNetwork: Int,
    onListening: @escaping @Sendable (Int) async -> Void
  ) -> Application<RouterResponder<StoreRequestContext>> {
    let limits = core.dependencies.configuration.limits
    let networks = NetworkCount(perNetwork: perNetwork)
    return Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            ConnectionLimitHandler(connections: networks), ConnectionEndHandler(), SlowClientHandler(limits: limits),
          ],
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), backlog: 1024,
        availableConnectionsDelegate: MaximumAvailableConnections(connections)),
      onServerRunning: { channel in if let port = channel.localAddress?.port { await onListening(port) } },
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
    try await core.beginCharges()
    if let count = try await core.vault.lossGuard.begin() {
      logger.warning(
        "an older database was put back: the vault's records have one try each", metadata: ["records": "\(count)"])
    }
    var configuration = ServiceGroupConfiguration(
      services: services(beside: application(onListening: onListening)),
      gracefulShutdownSignals: gracefulShutdownSignals, logger: logger)
    configuration.maximumGracefulShutdownDuration = core.dependencies.configuration.limits.stopTimeout
    let result = await Result { try await ServiceGroup(configuration: configuration).run() }
    await core.dependencies.database.close()
    try result.get()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
