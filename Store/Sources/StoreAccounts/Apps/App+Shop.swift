import StoreBase

extension App {
  /// The path of the app's shop on this store.
  package var shopPath: String { "/shop/\(id.percentEncoded)" }

  /// The first letter of the name, which stands for the app's picture.
  package var initial: String { String(name.prefix(1)).uppercased() }
}
