/// The two errors of SwiftBasicPay's `SecureStorage`, as published. What else can go wrong is a ``WalletError``.
public enum SecureStorageError: Error, Sendable, Hashable {
  /// There is no wallet here.
  case userNotFound
  /// The PIN is not the wallet's; the try was counted, where tries are counted.
  case invalidPin
}

extension SecureStorageError: CustomStringConvertible {
  /// What was expected, what came, and what to do.
  public var description: String {
    switch self {
    case .userNotFound: "expected a wallet, found none: sign up, or recover one with its words"
    case .invalidPin: "expected the wallet's PIN, got another"
    }
  }
}
