package import Foundation
import StoreBase

/// A login session of an account: of an app on a device, or of a browser.
package struct AccountSession: Sendable, Hashable {
  package enum Place: Sendable, Hashable {
    case app(id: String)
    case browser
  }

  /// Identifies the session in the form that ends it. It is no secret: no request logs in with it.
  package let id: String
  package let place: Place
  /// The device's description, from the browser's request headers; nil when they named none.
  package let device: String?
  package let since: Date
  package let usedAt: Date
}

extension WebSession {
  /// The ``AccountSession/id`` of this browser's session.
  package var listedID: String { "browser:" + token.sha256Base64URL }
}
