public import Foundation

// `localizedDescription` of an error is its description, not the name of its type.

extension OPRFError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension VaultRefusal: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
