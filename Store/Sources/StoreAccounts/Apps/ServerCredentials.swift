public import Foundation
import OnsideAPI
package import StoreBase

/// The credentials with which merchants' servers report events (HTTP Basic, RFC 7617). The database holds only the hash
/// of a secret, which has 256 bits: it is shown once and cannot be guessed.
public struct ServerCredentials: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let random: any RandomSource

  /// A credential as it is listed.
  public struct Entry: Sendable, Hashable {
    /// The user name.
    public let id: String
    /// The app that it reports for.
    public let appID: String
    /// When it was made.
    public let createdAt: Date
  }

  /// The credentials of a store.
  package init(_ dependencies: BaseDependencies) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
  }

  /// Makes a credential for an app; user name and password.
  public func add(app: String) async throws -> (id: String, secret: String) {
    // Base64url may begin with a hyphen, which a command line takes for an option.
    let (id, secret) = (Hexadecimal.encode(random.bytes(9)), random.token(bytes: 32))
    try await database.write(at: clock.now()) { transaction in
      try ServerCredentialRecords.insert(id, secret: secret, app: app, in: transaction)
    }
    return (id, secret)
  }

  /// All of them, oldest first.
  public func all() async throws -> [Entry] {
    try await database.read { try ServerCredentialRecords.all(in: $0) }
  }

  /// Takes a credential away; false when there is none with this name.
  public func remove(_ id: String) async throws -> Bool {
    try await database.write(at: clock.now()) { try ServerCredentialRecords.remove(id, in: $0) }
  }

  /// The app of an `Authorization` header; nil when it is missing, malformed or wrong.
  func app(_ header: String?) async throws -> String? {
    let parts = (header ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic", parts[1].utf8.count <= 256,
      let pair = Data(base64Encoded: String(parts[1])).flatMap({ String(data: $0, encoding: .utf8) }),
      let colon = pair.firstIndex(of: ":")
    else { return nil }
    let (id, secret) = (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    return try await database.read { try ServerCredentialRecords.app(id, secret: secret, in: $0) }
  }
}
