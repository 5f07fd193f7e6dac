public import Foundation

/// Where an installation came from (contract, section 1.6).
public struct OnsideAttributionMetadata: Sendable, Hashable, Codable {
  /// The full address of the landing page that the user visited before installing, with its UTM parameters and click
  /// identifiers; nil when no visit is known.
  public var refererUrl: URL?

  /// Makes metadata.
  public init(refererUrl: URL? = nil) { self.refererUrl = refererUrl }
}
