import HTTPTypes
package import Hummingbird
import OnsideAPI

/// The two cookies that the store trusts. Neither can be read by a script or sent along by another site's form; where
/// the store is on https they have the `__Host-` prefix, so that no neighbouring host can plant one.
package struct PageCookies: Sendable {
  package enum Name: String {
    /// Names the browser: logins are bound to it, and limits count it. Not a login.
    case browser = "onside_browser"
    /// The login to the store's own pages.
    case session = "onside_session"
  }

  package let isSecure: Bool

  package init(isSecure: Bool) {
    self.isSecure = isSecure
  }

  package func value(_ name: Name, of request: Request) -> String? {
    let wanted = fullName(name) + "="
    for header in request.headers[values: .cookie] {
      for pair in header.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        // Our own values are short base64url; anything else is not ours.
        if pair.hasPrefix(wanted) {
          let value = pair.dropFirst(wanted.count)
          return (20...64).contains(value.utf8.count) && Base64URL.decode(value) != nil ? String(value) : nil
        }
      }
    }
    return nil
  }

  package func field(_ name: Name, _ value: String, lifetime: Int) -> String {
    let flags = "Path=/; Max-Age=\(lifetime); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    return "\(fullName(name))=\(value); \(flags)"
  }

  private func fullName(_ name: Name) -> String { (isSecure ? "__Host-" : "") + name.rawValue }
}
