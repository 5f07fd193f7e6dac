import Foundation
import OnsideAPI

/// One row of the steps from visits to running apps; what a merchant's webhook will be told.
struct AttributionEvent: Sendable, Hashable {
  var id: UUID
  var appID: String
  var label: AttributionLabel
  var happenedAt: Date
  var visit: AttributionVisit?
  var installation: InstallationID?
}
