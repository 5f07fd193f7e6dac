public import Foundation

/// Where spans are sent, and of how many requests.
public struct TracingConfiguration: Sendable {
  /// The address of a collector that takes OTLP over HTTP; nil: nothing is traced.
  public var url: URL?
  /// The share of the requests that are traced, from 0 to 1.
  public var fraction = 1.0

  /// The default: nothing is traced.
  public init() {}
}
