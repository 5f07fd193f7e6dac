/// A path on this store. Anything that a browser could read as another site is refused.
package struct LocalPath: Sendable, Hashable {
  package let text: String

  package static let home = LocalPath(known: "/")

  package init?(_ text: String?) {
    guard let text, text.hasPrefix("/"), text.utf8.count <= 2048, !text.hasPrefix("//") else { return nil }
    // Browsers read a backslash as a slash and drop tabs and line ends.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }) else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }
}
