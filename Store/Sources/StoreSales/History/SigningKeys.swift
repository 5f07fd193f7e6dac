public import Foundation
import OnsideAPI
package import StoreBase

/// The store's signing keys: one that signs, one published before it signs, and the earlier ones that were not
/// withdrawn.
public final class SigningKeys: Sendable {
  /// How long a key is published before it may sign: twice as long as anyone may keep the key set.
  public static let publishedBeforeUse: TimeInterval = 600

  private let dependencies: BaseDependencies
  private let keys = ReloadedValue<[SigningKey]>([])

  package init(_ dependencies: BaseDependencies) {
    self.dependencies = dependencies
  }

  /// Every key, the newest first.
  public var all: [SigningKey] { keys.read { $0 } }

  /// The key that signs now.
  package func active() throws -> SigningKey {
    guard let key = keys.read({ keys in keys.first { $0.state == .active } }) else {
      throw SigningKeyError.noActiveKey
    }
    return key
  }

  /// Reads the keys again; makes the first ones in a new store.
  package func reload() async throws {
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

  /// A receipt that the published keys verify: the same, or signed again by the active key if its own was withdrawn.
  func verifiable(_ receipt: String) -> String {
    guard !keys.read({ keys in keys.contains { $0.isNamed(in: receipt) } }),
      let payload = receipt.split(separator: ".").dropFirst().first.flatMap({ Base64URL.decode($0) }),
      let signed = try? active().sign(payload)
    else { return receipt }
    return signed
  }

  /// Lets the next key sign, retires the one that signed, and publishes a new next one. Throws
  /// ``SigningKeyError/publishedTooShort(waitSeconds:)`` when verifiers may not know the next key yet.
  public func rotate() async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      try Self.rotate(in: transaction)
    }
    try await reload()
  }

  /// Deletes a key, so that it is not published and never used again. The next key takes the place of one that signs,
  /// and a new key that of the next one.
  ///
  /// - Throws: ``SigningKeyError/unknown(_:)``; ``SigningKeyError/publishedTooShort(waitSeconds:)`` when verifiers may
  ///   not know the successor of the key that signs.
  public func withdraw(_ id: String) async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      let keys = try SigningKeyRecords.all(in: transaction)
      guard let key = keys.first(where: { $0.id == id }) else { throw SigningKeyError.unknown(id) }
      if key.state == .active { try Self.rotate(in: transaction) }
      try SigningKeyRecords.delete(key, in: transaction)
      if key.state == .next { try SigningKeyRecords.insert(.next, in: transaction) }
    }
    try await reload()
  }

  private static func rotate(in transaction: StoreTransaction) throws {
    let keys = try SigningKeyRecords.all(in: transaction)
    guard let next = keys.first(where: { $0.state == .next }) else { throw SigningKeyError.noActiveKey }
    let wait = publishedBeforeUse - transaction.now.timeIntervalSince(next.createdAt)
    guard wait <= 0 else { throw SigningKeyError.publishedTooShort(waitSeconds: Int(wait.rounded(.up))) }
    try SigningKeyRecords.rotate(in: transaction)
  }
}
