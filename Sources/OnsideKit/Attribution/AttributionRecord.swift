/// What this device knows of where the installation came from, as it is on disk. Pure: each step answers what follows.
struct AttributionRecord: Hashable, Sendable, Codable {
  private(set) var version = 1
  /// Whose answer it is: the app and its store. Another store, or another app in the same folder, asks anew.
  let owner: String
  /// Whether the store has answered.
  private(set) var isAnswered = false
  /// The visit that led here, if the store knew one. It never changes.
  private(set) var refererURL: String?
  /// A claim token that the store has not seen.
  private(set) var claim: String?
  /// The last token that the store has seen: the environment of a process may name it at every launch.
  private(set) var spentClaim: String?

  init(owner: String) { self.owner = owner }

  /// True for a record that this version can read.
  func isUsable(by owner: String) -> Bool { version == 1 && self.owner == owner }

  /// True when there is nothing to ask the store: it knew a visit, or none and no token has come since.
  var isSettled: Bool { isAnswered && (refererURL != nil || claim == nil) }

  /// Takes in a token; false when it changes nothing.
  mutating func receive(_ token: String) -> Bool {
    guard refererURL == nil, token != claim, token != spentClaim else { return false }
    claim = token
    return true
  }

  /// Takes in the store's answer to a request with `token`.
  mutating func answered(_ address: String?, to token: String?) {
    isAnswered = true
    if refererURL == nil { refererURL = address }
    if let token { spentClaim = token }
    if claim == token { claim = nil }
  }
}
