import StoreBase

extension App {
  /// The path of the app's shop on this store.
  package var shopPath: String { "/shop/\(id.percentEncoded)" }
}
