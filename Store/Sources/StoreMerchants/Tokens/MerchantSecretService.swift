package import Foundation
package import StoreAccounts
package import StoreBase

/// The merchant ids and secrets of a store's apps, and the JWTs that merchants' servers sign with them.
///
/// Times are the machine's, also in a sandbox whose clock was advanced: the JWTs have the time of another machine.
package struct MerchantSecretService: Sendable {
  /// The lifetime of the previous secret after a rotation, in seconds.
  package static let overlap: TimeInterval = 24 * 3600

  private let database: any Database
  private let clock: SandboxClock
  private let random: any RandomSource
  private let apps: AppDirectory
  private let seal: SecretSeal

  package init(_ dependencies: BaseDependencies, secrets: StoreSecrets, apps: AppDirectory) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
    self.apps = apps
    seal = SecretSeal(purpose: MerchantSecret.sealPurpose, secrets: secrets, random: dependencies.random)
  }

  /// Makes the merchant id and the first secret of a registered app. Returns nil for an app that has them. Throws
  /// ``UnregisteredApp``.
  package func add(app: String) async throws -> NewMerchantSecret? {
    let now = clock.unmovedNow()
    let made = fresh(of: random.uuid7(at: now).lowercase, app: app, at: now)
    let sealed = try sealed(made)
    let isFirst = try await database.write(at: now) { transaction in
      try AppRecords.requireApp(app, in: transaction)
      guard try MerchantSecretRecords.merchant(of: app, in: transaction) == nil else { return false }
      try MerchantSecretRecords.insert(sealed, in: transaction)
      return true
    }
    return isFirst ? made : nil
  }

  /// The valid secrets of all apps, without the secrets themselves.
  package func all() async throws -> [MerchantSecretEntry] {
    let now = clock.unmovedNow()
    return try await database.read { try MerchantSecretRecords.all(at: now, in: $0) }
  }

  /// Gives an app a new secret. The previous one is valid for ``overlap`` more, and the one before it no longer.
  ///
  /// - Parameter isImmediate: Whether the previous secret ends now.
  /// - Returns: Nil for an app without a secret.
  package func rotate(app: String, isImmediate: Bool = false) async throws -> NewMerchantSecret? {
    let now = clock.unmovedNow()
    let end = isImmediate ? now : now + Self.overlap
    guard let merchant = try await database.read({ try MerchantSecretRecords.merchant(of: app, in: $0) }) else {
      return nil
    }
    let made = fresh(of: merchant, app: app, at: now)
    let sealed = try sealed(made)
    let isKnown = try await database.write(at: now) { transaction in
      guard try MerchantSecretRecords.merchant(of: app, in: transaction) == merchant else { return false }
      try MerchantSecretRecords.end(of: app, at: end, in: transaction)
      try MerchantSecretRecords.insert(sealed, in: transaction)
      return true
    }
    return isKnown ? made : nil
  }

  /// Removes the merchant id and the secrets of an app; false for an app without them.
  package func remove(app: String) async throws -> Bool {
    try await database.write(at: clock.unmovedNow()) { try MerchantSecretRecords.removeAll(of: app, in: $0) }
  }

  /// Removes the secrets of an app with the app.
  package static func removeAll(of app: String, in transaction: StoreTransaction) throws {
    _ = try MerchantSecretRecords.removeAll(of: app, in: transaction)
  }

  /// Verifies the JWT of a request, and uses its `jti` up. Returns the app of its merchant.
  ///
  /// - Throws: ``MerchantTokenFault``.
  func app(_ token: MerchantToken) async throws -> String {
    let now = clock.unmovedNow()
    let known = try await database.read { try MerchantSecretRecords.secret(token.secretID, at: now, in: $0) }
    guard let known, apps.app(known.entry.app) != nil else { throw MerchantTokenFault.secretID }
    let entry = known.entry
    let claims = try token.claims(
      secret: MerchantSecret(seal.open(known.seal, id: entry.id)), merchant: entry.merchant, now: now)
    let isFirst = try await database.write(at: now) { transaction in
      guard try MerchantTokenRecords.use(claims, of: entry.merchant, in: transaction) else { return false }
      try MerchantSecretRecords.writeUse(of: entry.id, in: transaction)
      return true
    }
    guard isFirst else { throw MerchantTokenFault.used }
    return entry.app
  }

  private func fresh(of merchant: String, app: String, at now: Date) -> NewMerchantSecret {
    let entry = MerchantSecretEntry(
      id: MerchantSecret.id(random: random), merchant: merchant, app: app, createdAt: now, lastUsedAt: nil,
      validUntil: nil)
    return NewMerchantSecret(entry: entry, secret: MerchantSecret(random: random))
  }

  private func sealed(_ made: NewMerchantSecret) throws -> MerchantSecretRecords.Sealed {
    MerchantSecretRecords.Sealed(entry: made.entry, seal: try seal.seal(made.secret.text, id: made.entry.id))
  }
}
