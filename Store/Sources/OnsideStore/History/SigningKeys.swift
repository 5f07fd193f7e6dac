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
      let read = try await dependencies.database.read { try SigningKeyRecords.all(in: $0) }
      guard read.isEmpty else { return read }
      return try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
        let made = try SigningKeyRecords.all(in: transaction)
        guard made.isEmpty else { return made }
        try SigningKeyRecords.insert(.active, in: transaction)
        try SigningKeyRecords.insert(.next, in: transaction)
        return try SigningKeyRecords.all(in: transaction)
      }
    }
  }

  /// Lets the next key sign, retires the one that signed, and publishes a new next one. Throws
  /// ``SigningKeyError/publishedTooShort(waitSeconds:)`` when verifiers may not know the next key yet.
  public func rotate() async throws {
    let now = dependencies.clock.now()
    try await dependencies.database.write(at: now) { transaction in
      let keys = try SigningKeyRecords.all(in: transaction)
      guard let next = keys.first(where: { $0.state == .next }) else { throw SigningKeyError.noActiveKey }
      let wait = Self.publishedBeforeUse - now.timeIntervalSince(next.createdAt)
      guard wait <= 0 else { throw SigningKeyError.publishedTooShort(waitSeconds: Int(wait.rounded(.up))) }
      try SigningKeyRecords.rotate(in: transaction)
    }
    try await reload()
  }
}
