public import Foundation

// `localizedDescription` of an error is its description, not the name of its type.

extension CatalogueError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension MoneyError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension OrderTransitionError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension StoreKitFileError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
