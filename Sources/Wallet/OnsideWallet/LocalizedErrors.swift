public import Foundation

// `localizedDescription` of an error is its description, not the name of its type.

extension SecureStorageError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension WalletError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension WebLoginError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
