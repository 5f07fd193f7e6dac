package import StoreBase

extension Migration {
  /// The steps of this module. The order is irrelevant; `MigrationPlan` sorts by number.
  package static let storeMerchants: [Migration] =
    apiKeys + merchantSecrets + eventCounters + webhooks + idempotencyAnswers
}
