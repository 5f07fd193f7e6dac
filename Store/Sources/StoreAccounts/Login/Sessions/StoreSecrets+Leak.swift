public import StoreBase

extension StoreSecrets {
  /// Makes a new secret in place of all others, and ends what a copy of the database lets its holder use: sessions,
  /// logins in progress, codes.
  public func replaceLeaked() async throws {
    let fresh = random.token(bytes: 32)
    try await database.write(at: clock.now()) { transaction in
      try StoreSecretRecords.replace(by: fresh, in: transaction)
      try LeakedCredentialRecords.end(in: transaction)
    }
    try await reload()
  }
}
