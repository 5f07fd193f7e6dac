import StoreBase
import StoreWeb

/// The front page: what this store is and which apps sell here.
package struct HomePage: Page {
  struct Entry: Sendable {
    var name: String
    var identifier: String
    var initial: String
    var path: String
  }

  var apps: [Entry]
  var isSandbox: Bool

  static let frame = PageFrame.site
  func title(_ texts: Texts) -> String { texts[.homeTitle] }

  static let template = String(embedded: PackageResources.HomePage_mustache)
}
