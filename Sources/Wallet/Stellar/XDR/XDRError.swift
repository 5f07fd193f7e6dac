/// Why bytes are no transaction that this wallet reads.
public struct XDRError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected and what came.
  public let description: String

  init(_ description: String) { self.description = description }
}
