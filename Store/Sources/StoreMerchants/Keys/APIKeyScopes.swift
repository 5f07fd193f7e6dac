public import OnsideAPI

extension Set<APIKeyScope> {
  /// The names with commas, in a fixed order, as commands and the database have them.
  public var text: String {
    let known = APIKeyScope.all.filter { contains($0) }
    let others = subtracting(known).sorted { $0.rawValue < $1.rawValue }
    return (known + others).map(\.rawValue).joined(separator: ",")
  }

  /// The scopes of a text as ``text`` has it, unknown ones too.
  init(stored text: String) {
    self.init(text.split(separator: ",").map { APIKeyScope(rawValue: String($0)) })
  }
}
