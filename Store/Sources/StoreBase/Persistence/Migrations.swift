extension Migration {
  /// The steps of this module. The order is irrelevant; `MigrationPlan` sorts by number.
  package static let storeBase = settings + storeSecrets + outbox + retention + revisions + audit
}
