/// The outcome of a try of a code.
package enum CodeOutcome: Sendable, Hashable {
  case right
  case wrong
  /// Ten minutes have passed.
  case expired
  /// It was used, or tried too often, or none was asked for.
  case spent
  /// The number has had too many wrong codes lately: even a right code is refused.
  case limited(CodeLimitReached)
}
