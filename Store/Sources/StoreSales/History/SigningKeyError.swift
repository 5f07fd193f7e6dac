/// Why a key cannot be used.
public enum SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no key that signs.
  case noActiveKey
  /// The next key must be published longer before it signs.
  case publishedTooShort(waitSeconds: Int)
  /// There is no key with this id.
  case unknown(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .noActiveKey: "the store has no active signing key; start it once with its own database"
    case .publishedTooShort(let seconds):
      "the next key was published too short a time ago for every verifier to know it; try again in \(seconds) s"
    case .unknown(let id): "expected the id of one of the store's signing keys (onside key list), got \"\(id)\""
    }
  }
}
