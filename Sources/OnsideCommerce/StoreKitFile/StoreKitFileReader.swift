/// Reads one `.storekit` file, and keeps a list of what it left out.
struct StoreKitFileReader {
  private let bytes: [UInt8]
  private let filePath: String
  private(set) var ignored: [String] = []
  /// True if the file's prices are of no country: no product has one.
  var hasUnknownStorefront = false
  private var brokenProducts: [StoreKitBrokenProduct] = []

  init(bytes: [UInt8], path: String) {
    self.bytes = bytes
    filePath = path
  }

  mutating func configuration(_ node: JSONNode) throws(JSONObject.Problem) -> StoreKitConfiguration {
    let root = try JSONObject(node, path: "")
    guard !Self.contents.isDisjoint(with: root.members.keys) else {
      throw .init(
        path: "", offset: node.offset, expected: "a StoreKit configuration with \"products\" or \"subscriptionGroups\"",
        found: "another kind of file")
    }
    noteUnknown(in: root, known: Self.contents.union(["settings", "version", "identifier", "appPolicies"]))
    notePolicies(root)
    let version = formatVersion(root)
    let settings = settings(root)
    let products =
      entries(root, key: "products", storefront: settings.storefront)
      + entries(root, key: "nonRenewingSubscriptions", storefront: settings.storefront)
      + subscriptions(root, storefront: settings.storefront)
    let different = withoutDuplicates(products)
    return StoreKitConfiguration(
      formatVersion: version, products: different, settings: settings, ignored: ignored, brokenProducts: brokenProducts)
  }

  private static let contents: Set<String> = ["products", "nonRenewingSubscriptions", "subscriptionGroups"]

  /// The format; a file without one is read as the newest.
  private mutating func formatVersion(_ root: JSONObject) -> Int {
    guard let node = root.members["version"] else {
      note(root.problem("version", expected: "an object"))
      return 5
    }
    let major = attemptProduct { _ throws(JSONObject.Problem) in
      let version = try JSONObject(node, path: "version")
      let major = try version.required("major", expected: "a whole number", read: \.integer)
      guard 3...5 ~= major else { throw version.problem("major", expected: "format 3, 4 or 5") }
      return major
    }
    return major ?? 5
  }

  /// The app's licence and privacy policy have no place in a shop. Xcode writes empty ones into every file.
  private mutating func notePolicies(_ root: JSONObject) {
    attempt { reader throws(JSONObject.Problem) in
      guard let node = root.members["appPolicies"], node.value != .null else { return }
      let policies = try JSONObject(node, path: "appPolicies")
      reader.noteUnknown(in: policies, known: ["policies"])
      for (node, path) in try policies.elements("policies") {
        reader.noteUnknown(in: try JSONObject(node, path: path), known: ["locale"])
      }
    }
  }

  private mutating func entries(_ root: JSONObject, key: String, storefront: CountryCode) -> [PlacedProduct] {
    let elements = attemptProduct { _ throws(JSONObject.Problem) in try root.elements(key) } ?? []
    return elements.compactMap { element in
      attemptProduct { reader throws(JSONObject.Problem) in
        let entry = try JSONObject(element.node, path: element.path)
        return PlacedProduct(product: try reader.oneTimeProduct(entry, storefront: storefront), entry: entry)
      }
    }
  }

  private mutating func subscriptions(_ root: JSONObject, storefront: CountryCode) -> [PlacedProduct] {
    let groups = attemptProduct { _ throws(JSONObject.Problem) in try root.elements("subscriptionGroups") } ?? []
    var seen: Set<String> = []
    return groups.flatMap { element in
      attemptProduct { reader throws(JSONObject.Problem) in
        let group = try JSONObject(element.node, path: element.path)
        guard seen.insert(try group.name("id")).inserted else {
          throw group.problem("id", expected: "an identifier that no other group has")
        }
        return try reader.subscriptionGroup(group, storefront: storefront)
      } ?? []
    }
  }

  private mutating func withoutDuplicates(_ placed: [PlacedProduct]) -> [Product] {
    var seen: Set<String> = []
    return placed.compactMap { candidate in
      guard seen.insert(candidate.product.id).inserted else {
        noteBroken(candidate.entry.problem("productID", expected: "an identifier that no other product has"))
        return nil
      }
      return candidate.product
    }
  }
}

/// A product and the entry that it was read from.
struct PlacedProduct {
  let product: Product
  let entry: JSONObject
}

extension StoreKitFileReader {
  /// Lists the keys that nothing reads, unless there is nothing in them.
  mutating func noteUnknown(in object: JSONObject, known: Set<String>) {
    for (key, node) in object.members.sorted(by: { $0.key < $1.key }) where !known.contains(key) && !node.isEmpty {
      ignored.append(object.path(key))
    }
  }

  mutating func note(_ problem: JSONObject.Problem) { note(problem.path, reason: problem.reason, at: problem.offset) }

  /// Lists something that is left out, with the reason.
  mutating func note(_ path: String, reason: String, at offset: Int) {
    let line = bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    ignored.append("\(path): \(reason) (line \(line))")
  }

  /// Notes a product that is not sold as the file says. `unpriced` is the product when only its price is broken.
  mutating func noteBroken(_ problem: JSONObject.Problem, unpriced: String? = nil) {
    note(problem)
    let error = StoreKitFileError(path: filePath, bytes: bytes, problem)
    brokenProducts.append(StoreKitBrokenProduct(error: error, unpricedProduct: unpriced))
  }

  /// Reads something that the rest of the file can do without.
  mutating func attempt<T>(_ read: (inout Self) throws(JSONObject.Problem) -> T) -> T? {
    do { return try read(&self) } catch {
      note(error)
      return nil
    }
  }

  /// Reads a product, or something without which products are not sold as the file says.
  mutating func attemptProduct<T>(_ read: (inout Self) throws(JSONObject.Problem) -> T) -> T? {
    do { return try read(&self) } catch {
      noteBroken(error)
      return nil
    }
  }
}
