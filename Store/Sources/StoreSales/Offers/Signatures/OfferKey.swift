import Crypto
public import Foundation
import OnsideAPI
package import StoreBase

/// A public key with whose private one an app's server signs promotional offers.
public struct OfferKey: Sendable {
  /// The name that the header of a signature has (`kid`).
  public let id: String
  /// When it was added.
  public let createdAt: Date
  let publicKey: P256.Signing.PublicKey

  init(id: String, createdAt: Date, publicKey: P256.Signing.PublicKey) {
    (self.id, self.createdAt, self.publicKey) = (id, createdAt, publicKey)
  }
}

/// The keys of apps for promotional offers.
public struct OfferKeys: Sendable {
  /// Why a key is not added.
  public struct Malformed: Error, CustomStringConvertible {
    /// What was expected and what came.
    public let description: String
  }

  private let database: any Database
  private let clock: any StoreClock

  package init(_ dependencies: BaseDependencies) { (database, clock) = (dependencies.database, dependencies.clock) }

  /// Adds a key to an app, from its public half in PEM.
  ///
  /// - Parameter id: its name; nil for one that is made of the key.
  public func add(_ pem: String, id: String?, to app: String) async throws -> OfferKey {
    guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
      throw Malformed(description: "expected a public key of P-256 in PEM (-----BEGIN PUBLIC KEY-----)")
    }
    let id = id ?? String(Base64URL.encode(SHA256.hash(data: key.x963Representation)).prefix(12))
    let isName = (1...64).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    guard isName else { throw Malformed(description: "expected a key id of 1 to 64 characters of ASCII, got \(id)") }
    let added = OfferKey(id: id, createdAt: clock.now(), publicKey: key)
    try await database.write(at: clock.now()) { transaction in
      guard try OfferKeyRecords.insert(added, of: app, in: transaction) else {
        throw Malformed(description: "expected a key id that \(app) does not have yet, got \(id)")
      }
    }
    return added
  }

  /// The keys of an app, the oldest first.
  public func keys(of app: String) async throws -> [OfferKey] {
    try await database.read { try OfferKeyRecords.keys(of: app, in: $0) }
  }

  /// Takes a key away: what it has signed counts no more. False when there is none of that name.
  public func remove(_ id: String, of app: String) async throws -> Bool {
    try await database.write(at: clock.now()) { try OfferKeyRecords.remove(id, of: app, in: $0) }
  }
}
