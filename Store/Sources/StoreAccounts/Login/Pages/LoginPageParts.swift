import StoreBase

/// Pieces that several login pages include.
enum LoginPageParts {
  static let all = ["links": String(embedded: PackageResources.links_mustache)]
}
