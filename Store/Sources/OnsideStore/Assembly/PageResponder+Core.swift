import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments
import StoreWeb

extension PageResponder {
  /// The responder of all pages of the store, and of its payment providers.
  init(core: StoreCore) {
    let (dependencies, traits) = (core.dependencies, core.providers.all.map(\.traits))
    let configuration = dependencies.configuration
    self.init(
      renderer: PageRenderer(
        storeName: configuration.name, isSandbox: configuration.environment == .sandbox,
        pages: PageCatalogue.all + traits.flatMap(\.pages), fields: traits.flatMap(\.parts)),
      database: dependencies.database, clock: dependencies.clock, random: dependencies.random, address: core.address,
      keys: core.secrets.keys(for: "page-forms"), proxies: configuration.proxies)
  }
}
