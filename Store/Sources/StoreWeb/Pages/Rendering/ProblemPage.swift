import StoreBase

/// Says what went wrong and what to do, and leads on to the store's front page.
package struct ProblemPage: Page {
  var heading: String
  var text: String
  /// The way back into the app that has opened the page.
  var back: PageLink?

  package func title(_ texts: Texts) -> String { heading }

  package static let template = String(embedded: PackageResources.ProblemPage_mustache)
}
