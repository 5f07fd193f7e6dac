/// The browser that a login happens in.
package struct LoginBrowser: Sendable {
  /// Its session cookie, valid or not; the login's new session replaces it.
  var session: String?
  /// A readable name of the device; nil where the browser's headers give none.
  var device: String?

  /// A browser; without a session it is not logged in.
  package init(session: String? = nil, device: String? = nil) {
    self.session = session
    self.device = device
  }
}
