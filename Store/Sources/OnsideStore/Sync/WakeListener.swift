import ServiceLifecycle

/// Wakes the polls of this process for what other processes change, as soon as they tell.
struct WakeListener: Service {
  let relay: any WakeRelay
  let changes: ChangeHub

  func run() async throws {
    // The hub holds the relay: held here, neither would ever be released.
    relay.listen { [weak changes] in changes?.hear($0) }
    // A service that ends before the store stops would end the store.
    try? await gracefulShutdown()
  }
}
