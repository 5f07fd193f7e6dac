import StoreBase

/// The frame around every page.
struct Layout: Sendable {
  var language: String
  var direction: String
  var theme: String
  var title: String
  var stylesheet: String
  var brand: String
  var bodyClass: String
  var width: String
  var isFlow: Bool
  var isSandbox: Bool
  var isLoggedIn: Bool
  var refresh: Int?
  var content: String

  static let template = String(embedded: PackageResources.Layout_mustache)
}
