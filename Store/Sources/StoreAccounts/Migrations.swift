package import StoreBase

extension Migration {
  /// The steps of this module.
  package static let storeAccounts = apps + accounts + codes + oauth + wallet
}
