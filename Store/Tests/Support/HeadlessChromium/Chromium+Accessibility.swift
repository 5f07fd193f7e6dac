extension Chromium {
  /// One thing that an assistive technology is told of.
  public struct Named: Sendable {
    /// Its role, for example `button`.
    public let role: String
    /// What it is called.
    public let name: String
    /// What else is said of it.
    public let description: String
    /// True when the keyboard can reach it.
    public let isFocusable: Bool
    /// The level of a heading.
    public let level: Int?
  }

  /// What an assistive technology is told of the page.
  public func accessibilityTree() async throws -> [Named] {
    struct Value: Decodable {
      var text: String?
      var number: Int?
      var isTrue: Bool

      init(from decoder: any Decoder) throws {
        enum Keys: CodingKey { case value }
        let container = try? decoder.container(keyedBy: Keys.self)
        text = try? container?.decode(String.self, forKey: .value)
        number = try? container?.decode(Int.self, forKey: .value)
        isTrue = (try? container?.decode(Bool.self, forKey: .value)) ?? false
      }
    }
    struct Property: Decodable {
      var name: String
      var value: Value
    }
    struct Node: Decodable {
      var ignored: Bool
      var role: Value?
      var name: Value?
      var description: Value?
      var properties: [Property]?
    }
    struct Tree: Decodable { var nodes: [Node] }
    let tree: Tree = try await call("Accessibility.getFullAXTree")
    return tree.nodes.filter { !$0.ignored }.map { node in
      let properties = node.properties ?? []
      return Named(
        role: node.role?.text ?? "", name: node.name?.text ?? "", description: node.description?.text ?? "",
        isFocusable: properties.contains { $0.name == "focusable" && $0.value.isTrue },
        level: properties.first { $0.name == "level" }?.value.number)
    }
  }
}
