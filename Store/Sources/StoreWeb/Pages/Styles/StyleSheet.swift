import Crypto
import Foundation
import OnsideAPI

/// The one stylesheet of all pages, under a name that changes with its contents, so that browsers may keep it for ever.
package struct StyleSheet: Sendable {
  package let text: String
  package let fileName: String

  package static let current = StyleSheet()

  init() {
    text = [
      Self.themes, StyleRules.base, StyleRules.layout, StyleRules.controls, StyleRules.components, StyleRules.waiting,
      StyleRules.print,
    ]
    .joined(separator: "\n")
    let digest = Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)).prefix(8))
    fileName = "onside-\(digest).css"
  }

  /// The address of the stylesheet on the pages.
  var path: String { "/assets/\(fileName)" }

  /// Light and dark by the system's preference, unless `data-theme` on the root element decides.
  private static var themes: String {
    """
    :root{color-scheme:light;\(Palette.light.declarations)}
    .bank{\(Palette.bankLight.declarations)}
    :root[data-theme=dark]{color-scheme:dark;\(Palette.dark.declarations)}
    [data-theme=dark] .bank{\(Palette.bankDark.declarations)}
    @media (prefers-color-scheme:dark){
    :root:not([data-theme=light]){color-scheme:dark;\(Palette.dark.declarations)}
    :root:not([data-theme=light]) .bank{\(Palette.bankDark.declarations)}
    }
    """
  }
}
