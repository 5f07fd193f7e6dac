package import OnsideAPI

/// The type and cause of one event.
package struct EventNote: Hashable, Sendable {
  package let type: MerchantEventType
  /// The reason of the event; nil where the type is sufficient.
  package var cause: String?

  package init(type: MerchantEventType, cause: String? = nil) {
    self.type = type
    self.cause = cause
  }
}
