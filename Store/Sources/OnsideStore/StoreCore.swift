import ServiceLifecycle

/// Everything that the routes work with, put together once for each process.
public final class StoreCore: Sendable {
  /// What the store was given.
  public let dependencies: StoreDependencies
  /// The address under which the world knows it.
  public let address: PublicAddress
  /// Its secret keys.
  public let secrets: StoreSecrets
  /// Access tokens.
  public let accessToken: AccessToken
  /// The registered apps.
  public let apps: AppDirectory
  /// Wakes waiting polls.
  public let changes: ChangeHub
  let deadlines: DeadlineTimer

  /// Reads what is needed from the database and puts the store together.
  public init(_ dependencies: StoreDependencies) async throws {
    self.dependencies = dependencies
    address = PublicAddress(dependencies.configuration)
    secrets = try await StoreSecrets.load(dependencies.database, dependencies.random)
    accessToken = AccessToken(key: secrets.key(for: "access-token"))
    apps = AppDirectory(database: dependencies.database, clock: dependencies.clock)
    deadlines = DeadlineTimer(clock: dependencies.clock)
    changes = ChangeHub(
      deadlines: deadlines, limitPerAccount: dependencies.configuration.limits.waitingPollsPerAccount)
    try await reload()
  }

  /// Reads again what is kept in memory, after another process may have changed it.
  public func reload() async throws {
    try await apps.reload()
    try await SandboxClockSetting(dependencies).reload()
  }

  /// What runs beside the server. The last one stops first.
  var services: [any Service] {
    [deadlines, ExternalChanges(core: self)]
  }

  /// The routes of this core.
  var routeGroups: [any RouteGroup] {
    [HealthRoutes(database: dependencies.database, metrics: dependencies.metrics)]
  }
}
