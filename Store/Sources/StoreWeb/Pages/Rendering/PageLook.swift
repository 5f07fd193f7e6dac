import Foundation
import HTTPTypes
package import Hummingbird
import OnsideAPI
import StoreBase

/// The look of a page: language, colours, and what its forms carry.
package struct PageLook: Sendable {
  package var language: Language = .english
  package var theme: Theme = .auto
  package var csrf = ""
  package var isLoggedIn = false
  /// The path and query by which the browser gets the page; nil for the answer to a form.
  var address: String?

  package var texts: Texts { Texts(language) }
}

/// The colours that an app asks for; `auto` follows the system.
package enum Theme: String, Sendable {
  case auto, light, dark
}

extension PageLook {
  /// The look that a request asks for: `ui_locales` and `theme` of the address, then the browser's languages.
  package static func of(_ request: Request, csrf: String = "", isLoggedIn: Bool = false) -> PageLook {
    let query = request.queryFields
    let asked = (query["ui_locales"] ?? "").split(separator: " ").prefix(16).map(String.init)
    return PageLook(
      language: .best(of: asked, Language.accepted(request.headers[.acceptLanguage])),
      theme: query["theme"].flatMap(Theme.init) ?? .auto, csrf: csrf, isLoggedIn: isLoggedIn,
      address: request.method == .get ? request.uri.string : nil)
  }
}
