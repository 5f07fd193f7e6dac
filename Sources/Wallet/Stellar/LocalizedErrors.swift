public import Foundation

// `localizedDescription` of an error is its description, not the name of its type.

extension MnemonicError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension SigningLinkError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension StrKeyError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension WebAuthenticationError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension XDRError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
