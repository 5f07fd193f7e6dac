import Foundation
import OnsideBrowserHost

/// What `onside dev` says once it listens.
struct DevText {
  let settings: BrowserHostSettings
  let address: BrowserHostAddress
  /// What is sold from.
  let store: String

  var text: String {
    """
    window.onside for pages of \(address.origin). For development only: never ship this script.
      store  \(store)
    \(page)
    Every call, result and event follows. Press Control-C to stop.
    """
  }

  private var page: String {
    switch settings.page {
    case .folder: "  page   \(address.page.absoluteString)"
    case .origin:
      """
        page   \(address.page.absoluteString)
        Put this tag before the page's own scripts, first of all in <head>:
          \(address.scriptTag)
      """
    }
  }
}
