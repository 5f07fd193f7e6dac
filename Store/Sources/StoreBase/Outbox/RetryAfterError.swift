/// An error of a receiver that may say when it wants to be called again, as HTTP's `Retry-After` does (RFC 9110,
/// section 10.2.3).
package protocol RetryAfterError: Error {
  /// Nil when it does not say.
  var retryAfter: Duration? { get }
}
