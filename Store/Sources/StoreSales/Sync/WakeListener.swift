import ServiceLifecycle
package import StoreAccounts
package import StoreBase

/// Wakes the polls of this process for what other processes change, as soon as they tell.
package struct WakeListener: Service {
  package let relay: any WakeRelay
  package let database: any Database
  package let changes: ChangeHub

  package init(relay: any WakeRelay, database: any Database, changes: ChangeHub) {
    self.relay = relay
    self.database = database
    self.changes = changes
  }

  func run() async throws {
    let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // The hub holds the relay: held here, neither would ever be released.
    relay.listen { [weak changes] wake in
      switch wake {
      case .accounts(let accounts): changes?.hear(accounts)
      case .all: look.yield()
      }
    }
    // Until the store stops: a service that ends before would end the store.
    await cancelWhenGracefulShutdown {
      // Where the database does not answer, the look of each second finds it later.
      for await _ in looks { try? await changes.wakeOutdated(database) }
    }
  }
}
