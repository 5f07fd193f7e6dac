extension Chromium {
  /// One thing that an assistive technology is told of.
  public struct Named: Sendable {
    /// Its role, for example `button`.
    public let role: String
    /// What it is called.
    public let name: String
    /// What else is said of it.
    public let description: String
  }

  /// What an assistive technology is told of the page.
  public func accessibilityTree() async throws -> [Named] {
    struct Value: Decodable {
      var value: String?

      init(from decoder: any Decoder) throws {
        enum Keys: CodingKey { case value }
        value = try? decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .value)
      }
    }
    struct Node: Decodable {
      var ignored: Bool
      var role: Value?
      var name: Value?
      var description: Value?
    }
    struct Tree: Decodable { var nodes: [Node] }
    let tree: Tree = try await call("Accessibility.getFullAXTree")
    return tree.nodes.filter { !$0.ignored }.map { node in
      Named(
        role: node.role?.value ?? "", name: node.name?.value ?? "", description: node.description?.value ?? "")
    }
  }
}
