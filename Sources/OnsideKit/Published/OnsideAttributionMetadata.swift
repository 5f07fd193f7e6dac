public import Foundation

/// Attribution metadata: the landing page visit that led to this installation (contract, section 1.6).
///
/// Get it with ``Onside/getAttributionMetadata(completion:)`` or ``Onside/attributionMetadata()``.
public struct OnsideAttributionMetadata: Sendable, Hashable, Codable {
  /// The full address of the landing page that the user visited before installing, with its UTM parameters and click
  /// identifiers; `nil` when no visit is known.
  public var refererUrl: URL?

  /// Makes metadata, for an app's own tests.
  public init(refererUrl: URL? = nil) { self.refererUrl = refererUrl }
}
