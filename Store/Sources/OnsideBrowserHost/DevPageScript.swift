import Foundation
import OnsideKit

/// The script that gives `window.onside` to a page. Only the page's origin is written into it; the script reads host,
/// port and token from its own address.
struct DevPageScript: Sendable {
  let text: String

  init(for page: WebOrigin) {
    let connection = String(decoding: PackageResources.connection_js, as: UTF8.self)
    let origin = String(decoding: (try? JSONEncoder().encode(page.description)) ?? Data("\"\"".utf8), as: UTF8.self)
    text = """
      // For development with `onside dev`. An app gives its pages window.onside by itself.
      if (location.origin !== \(origin)) {
        console.error(`onside dev is for pages of ${\(origin)}; this one is of ${location.origin}.`);
      } else if (window.top === window) {
      \(BridgeScript.page(connection: connection))
      }
      """
  }
}
