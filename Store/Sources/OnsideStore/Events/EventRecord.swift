import Foundation
import OnsideAPI
import OnsideCommerce

/// An event as the store keeps it.
struct EventRecord: Sendable, Hashable {
  /// Who reported it.
  enum Source: String, Sendable {
    case sdk, server
  }

  var id: EventID
  var installation: InstallationID
  /// In lower case: names are compared without it.
  var name: String
  var country: CountryCode?
  var happenedAt: Date
  var source: Source
  /// A JSON object.
  var parameters: String
}
