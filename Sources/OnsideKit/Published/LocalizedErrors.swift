public import Foundation

// `localizedDescription` of an error is its description, not the name of its type.

extension LocalStoreError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension LocalSubscriptionError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension OnsideConfigurationError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension OnsideFailure: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension OnsidePaymentError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension ScreenPresentationError: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}

#if canImport(WebKit)
  extension OnsideWebViewError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
  }
#endif
