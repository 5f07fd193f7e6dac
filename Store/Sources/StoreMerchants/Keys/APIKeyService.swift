import Foundation
public import OnsideAPI
package import StoreAccounts
package import StoreBase
import StoreWeb

/// The API keys of a store's apps.
public final class APIKeyService: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let random: any RandomSource
  private let apps: AppDirectory
  private let uses = APIKeyUses()

  package init(_ dependencies: BaseDependencies, apps: AppDirectory) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
    self.apps = apps
  }

  /// Makes a key for a registered app. Returns its token, which is not stored. Throws `UnregisteredApp`.
  public func add(app: String, name: String, scopes: Set<APIKeyScope>) async throws -> APIKeyToken {
    let (token, now) = (APIKeyToken(random: random), clock.now())
    let key = APIKey(
      id: token.id, app: app, name: name, scopes: scopes, createdAt: now, lastUsedAt: nil,
      secrets: [APIKeySecret(hash: token.hash, validUntil: nil)])
    // In one transaction: another process may remove the app meanwhile.
    try await database.write(at: now) { transaction in
      try AppRecords.requireApp(app, in: transaction)
      try APIKeyRecords.insert(key, in: transaction)
    }
    return token
  }

  /// The keys of an app, or of all apps; the oldest first.
  public func all(of app: String? = nil) async throws -> [APIKey] {
    try await database.read { try APIKeyRecords.all(of: app, in: $0) }
  }

  /// Gives a key a new secret. The previous secret is valid for 24 hours more, and the one before it no longer.
  ///
  /// - Returns: The new token; nil if there is no key with this id.
  public func rotate(_ id: String) async throws -> APIKeyToken? {
    let token = APIKeyToken(id: id, random: random)
    let secret = APIKeySecret(hash: token.hash, validUntil: nil)
    return try await database.write(at: clock.now()) { transaction in
      guard try APIKeyRecords.key(id, in: transaction) != nil else { return nil }
      try APIKeyRecords.replaceSecret(
        of: id, by: secret, until: transaction.now + APIKey.overlap, in: transaction)
      return token
    }
  }

  /// Removes a key; its requests are rejected at once. Returns false if there is no key with this id.
  public func remove(_ id: String) async throws -> Bool {
    try await database.write(at: clock.now()) { try APIKeyRecords.remove(id, in: $0) }
  }

  /// Removes the keys of an app with the app.
  package static func removeAll(of app: String, in transaction: StoreTransaction) throws {
    try APIKeyRecords.removeAll(of: app, in: transaction)
  }

  /// Authenticates a token, and notes its use. Throws ``APIKeyRejection``.
  func caller(_ token: APIKeyToken) async throws -> APIKeyCaller {
    guard let key = try await database.read({ try APIKeyRecords.key(token.id, in: $0) }), apps.app(key.app) != nil
    else { throw APIKeyRejection.id(token.id) }
    let now = clock.now()
    let caller = try key.caller(token, at: now)
    uses.note(key.id, at: now)
    return caller
  }

  /// Writes the last requests of keys, once a minute: a request waits for no write.
  package func writeUses() async throws {
    let waiting = uses.waiting
    guard !waiting.isEmpty else { return }
    try await database.write(at: clock.now()) { transaction in
      for (id, time) in waiting { try APIKeyRecords.writeUse(of: id, at: time, in: transaction) }
    }
    uses.forget(waiting)
  }
}
