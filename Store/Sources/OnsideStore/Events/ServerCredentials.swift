public import Foundation

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
  public init(_ dependencies: StoreDependencies) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
  }

  /// Makes a credential for an app; user name and password.
  public func add(app: String) async throws -> (id: String, secret: String) {
    let (id, secret, now) = (random.token(bytes: 9), random.token(bytes: 32), clock.now())
    try await database.write { connection in
      try connection.execute(
        "INSERT INTO server_credentials(id, app_id, secret, created_at) VALUES ($1, $2, $3, $4)",
        [.text(id), .text(app), .text(secret.sha256), .date(now)])
    }
    return (id, secret)
  }

  /// All of them, oldest first.
  public func all() async throws -> [Entry] {
    try await database.read { connection in
      try connection.rows("SELECT id, app_id, created_at FROM server_credentials ORDER BY created_at, id").map { row in
        Entry(id: try row.text("id"), appID: try row.text("app_id"), createdAt: try row.date("created_at"))
      }
    }
  }

  /// Takes a credential away; false when there is none with this name.
  public func remove(_ id: String) async throws -> Bool {
    try await database.write { try $0.execute("DELETE FROM server_credentials WHERE id = $1", [.text(id)]) } > 0
  }

  /// The app of an `Authorization` header; nil when it is missing, malformed or wrong.
  func app(_ header: String?) async throws -> String? {
    let parts = (header ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic", parts[1].utf8.count <= 256,
      let pair = Data(base64Encoded: String(parts[1])).flatMap({ String(data: $0, encoding: .utf8) }),
      let colon = pair.firstIndex(of: ":")
    else { return nil }
    let (id, secret) = (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    // What is compared are hashes, whose first difference tells nothing about the secret.
    return try await database.read { connection in
      try connection.row(
        "SELECT app_id FROM server_credentials WHERE id = $1 AND secret = $2", [.text(id), .text(secret.sha256)]
      )?.text("app_id")
    }
  }
}
