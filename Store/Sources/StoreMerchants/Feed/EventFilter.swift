package import Foundation
package import OnsideAPI

/// The events of a listing for operators.
package struct EventFilter: Sendable, Hashable {
  /// The app; nil for all.
  package var app: String?
  /// The types of events; empty for all.
  package var types: [MerchantEventType]
  /// The earliest time of the store.
  package var since: Date?
  package var limit: Int

  package init(app: String? = nil, types: [MerchantEventType] = [], since: Date? = nil, limit: Int) {
    self.app = app
    self.types = types
    self.since = since
    self.limit = limit
  }
}
