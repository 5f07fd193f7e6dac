import Crypto
public import Foundation

/// The store's signing keys: one that signs, one published before it signs, and all the earlier ones.
public final class SigningKeys: Sendable {
  /// How long a key is published before it may sign: twice as long as anyone may keep the key set.
  public static let publishedBeforeUse: TimeInterval = 600

  private let dependencies: StoreDependencies
  private let keys = ReloadedValue<[SigningKey]>([])

  init(_ dependencies: StoreDependencies) {
    self.dependencies = dependencies
  }

  /// Every key, the newest first.
  public var all: [SigningKey] { keys.read { $0 } }

  /// The key that signs now.
  func active() throws -> SigningKey {
    guard let key = keys.read({ keys in keys.first { $0.state == .active } }) else {
      throw SigningKeyError.noActiveKey
    }
    return key
  }

  /// Reads the keys again; makes the first ones in a new store.
  func reload() async throws {
    try await keys.reload {
      let read = try await dependencies.database.read(Self.read)
      guard read.isEmpty else { return read }
      return try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
        let made = try Self.read(transaction)
        guard made.isEmpty else { return made }
        try Self.insert(.active, in: transaction)
        try Self.insert(.next, in: transaction)
        return try Self.read(transaction)
      }
    }
  }

  /// Lets the next key sign, retires the one that signed, and publishes a new next one. Throws
  /// ``SigningKeyError/publishedTooShort(waitSeconds:)`` when verifiers may not know the next key yet.
  public func rotate() async throws {
    let now = dependencies.clock.now()
    try await dependencies.database.write(at: now) { transaction in
      let keys = try Self.read(transaction)
      guard let next = keys.first(where: { $0.state == .next }) else { throw SigningKeyError.noActiveKey }
      let wait = Self.publishedBeforeUse - now.timeIntervalSince(next.createdAt)
      guard wait <= 0 else { throw SigningKeyError.publishedTooShort(waitSeconds: Int(wait.rounded(.up))) }
      try transaction.execute("UPDATE signing_keys SET state = 'retired' WHERE state = 'active'")
      try transaction.execute("UPDATE signing_keys SET state = 'active' WHERE state = 'next'")
      try Self.insert(.next, in: transaction)
    }
    try await reload()
  }

  private static func read(_ connection: any SQLConnection) throws -> [SigningKey] {
    try connection.rows("SELECT private_key, state, created_at FROM signing_keys ORDER BY seq DESC").map { row in
      guard let state = SigningKey.State(rawValue: try row.text("state")) else {
        throw StorageError.unexpectedValue(column: "state", expected: "next, active or retired")
      }
      return try SigningKey(rawKey: row.blob("private_key"), state: state, createdAt: row.date("created_at"))
    }
  }

  private static func insert(_ state: SigningKey.State, in transaction: StoreTransaction) throws {
    let key = Array(P256.Signing.PrivateKey().rawRepresentation)
    try transaction.execute(
      "INSERT INTO signing_keys(private_key, state, created_at) VALUES ($1, $2, $3)",
      [.blob(key), .text(state.rawValue), .date(transaction.now)])
  }
}

/// Why a key cannot be used.
public enum SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no key that signs.
  case noActiveKey
  /// The next key must be published longer before it signs.
  case publishedTooShort(waitSeconds: Int)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .noActiveKey: "the store has no active signing key; start it once with its own database"
    case .publishedTooShort(let seconds):
      "the next key was published too short a time ago for every verifier to know it; try again in \(seconds) s"
    }
  }
}

extension Migration {
  static let signingKeys = [
    Migration(
      3, "signing keys",
      """
      CREATE TABLE signing_keys(
        seq INTEGER PRIMARY KEY, private_key BLOB NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL);
      CREATE UNIQUE INDEX signing_keys_in_use ON signing_keys(state) WHERE state IN ('active', 'next');
      """)
  ]
}
