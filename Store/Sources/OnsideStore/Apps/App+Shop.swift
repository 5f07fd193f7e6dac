import StoreBase

extension App {
  /// The path of the app's shop on this store.
  var shopPath: String { "/shop/\(id.percentEncoded)" }
}
