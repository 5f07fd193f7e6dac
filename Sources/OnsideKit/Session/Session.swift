package import Foundation
package import OnsideAPI

/// A login as it is kept on the device.
package struct Session: Hashable, Sendable, Codable {
  /// The store that it belongs to; it is never shown to another one.
  package var store: URL
  /// The app that it belongs to.
  package var app: String
  /// Who is signed in.
  package var signedIn: SignedIn
  package var accessToken: AccessToken
  /// When the access token expires by this device's clock.
  package var accessTokenExpiry: Date
  package var refreshToken: RefreshToken

  package init(_ message: TokenMessage, store: URL, app: String, now: Date) {
    self.store = store
    self.app = app
    self.signedIn = SignedIn(accountID: message.accountID, country: message.country)
    self.accessToken = AccessToken(message.accessToken)
    self.accessTokenExpiry = now.addingTimeInterval(TimeInterval(message.expiresIn))
    self.refreshToken = RefreshToken(message.refreshToken)
  }
}
