extension Migration {
  /// The steps of this module.
  package static let storeBase = settings + storeSecrets + outbox + retention + revisions
}
