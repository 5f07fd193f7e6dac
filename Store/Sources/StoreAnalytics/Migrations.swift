package import StoreBase

extension Migration {
  /// The steps of this module.
  package static let storeAnalytics = attribution + events
}
