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

  /// The room of a row and its index entries without name and parameters, in bytes: ids, app, times.
  private static let rowBytes = 400

  /// The room that the event takes up in the database, in bytes.
  var bytes: Int { Self.bytes(name: name, parameters: parameters) }

  static func bytes(name: String, parameters: String) -> Int {
    rowBytes + name.utf8.count + parameters.utf8.count
  }
}
