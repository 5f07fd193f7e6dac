import Testing

/// A reader of our own HTML: strict enough to notice what a browser would silently repair.
struct HTMLScan {
  struct Element {
    var name: String
    var attributes: [String: String]
    /// The names of the elements around it, outermost first.
    var path: [String]
    /// Positions in `elements` of the elements around it.
    var parents: [Int]
    var text = ""

    subscript(attribute: String) -> String? { attributes[attribute] }
  }

  private(set) var elements: [Element] = []
  private(set) var faults: [String] = []

  private static let void: Set<String> = ["meta", "link", "input", "br", "hr", "img", "path", "circle", "rect"]

  init(_ html: String) {
    var open: [Int] = []
    var rest = html[...]
    // Made once for a page: each regular expression is compiled at its first match.
    let attribute = #/([A-Za-z:-]+)(?:="([^"]*)")?/#
    while let start = rest.firstIndex(of: "<") {
      add(text: rest[..<start], to: open)
      guard let end = rest[start...].firstIndex(of: ">") else { break }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("!") { continue }
      if tag.hasPrefix("/") {
        let name = String(tag.dropFirst())
        if let last = open.last, elements[last].name == name { open.removeLast() } else { faults.append("</\(name)>") }
        continue
      }
      let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
      var attributes: [String: String] = [:]
      for match in tag.dropFirst(name.count).matches(of: attribute) {
        attributes[String(match.1)] = match.2.map(String.init) ?? ""
      }
      let path = open.map { elements[$0].name }
      elements.append(Element(name: name, attributes: attributes, path: path, parents: open))
      if !tag.hasSuffix("/"), !Self.void.contains(elements[elements.count - 1].name) { open.append(elements.count - 1) }
    }
    faults += open.map { "<\(elements[$0].name)> not closed" }
  }

  func all(_ names: String...) -> [Element] { elements.filter { names.contains($0.name) } }

  func element(id: String) -> Element? { elements.first { $0["id"] == id } }

  private mutating func add(text: Substring, to open: [Int]) {
    for index in open { elements[index].text += text }
  }
}
