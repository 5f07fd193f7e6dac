/// Where the item is kept: a file here, a keychain elsewhere. The item needs no secrecy of its own; it must be replaced
/// whole or not at all.
public protocol WalletStorage: Sendable {
  /// Whether there is anything, whole or not.
  func hasItem() throws -> Bool
  /// The item's bytes; nil when there is none. Throws ``WalletError/Kind/damaged`` for what cannot be an item.
  func read() throws -> [UInt8]?
  /// Replaces the item. When it returns, the new item is durable; when it throws, or never returns, the old or the new
  /// one is there.
  func write(_ item: [UInt8]) throws
  /// Removes the item durably; nothing happens when there is none.
  func remove() throws
  /// The enrolments of ``setPendingEnrolments(_:)``.
  func pendingEnrolments() throws -> [[UInt8]]
  /// Notes durably which enrolments, of 16 bytes and no secret, may have a device secret that no item needs. It is the
  /// trace by which a change that was killed is cleared away; a storage that keeps none leaves such secrets behind.
  func setPendingEnrolments(_ enrolments: [[UInt8]]) throws
  /// Runs `body` while no other process and no other thread does so with the same item.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result
}

extension WalletStorage {
  /// None.
  public func pendingEnrolments() throws -> [[UInt8]] { [] }
  /// Keeps nothing.
  public func setPendingEnrolments(_ enrolments: [[UInt8]]) throws {}
}
