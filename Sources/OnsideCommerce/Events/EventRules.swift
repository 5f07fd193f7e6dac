/// What an event may be called and what it may carry (contract, section 2.12; EVT-1). Pure, and the same on both sides:
/// the SDK applies it before an event is kept, the store again when it arrives.
public enum EventRules {
  /// The most characters of a name or a key.
  public static let nameLimit = 40
  /// The most parameters of an event, the first by key order.
  public static let parameterLimit = 25
  /// The most characters of a text.
  public static let textLimit = 100
  /// The most elements of a list.
  public static let listLimit = 100
  /// The most bytes of an event's parameters as JSON; what does not fit any more is dropped, in key order.
  public static let byteLimit = 8192
  /// The most notes on an event; the last one says that there is more.
  public static let noteLimit = 20
  /// Names and keys that begin so belong to the store.
  public static let reservedPrefixes = ["onside_", "$$"]

  /// What became of an event.
  public struct Verdict: Hashable, Sendable {
    /// The name as it counts; nil when the event is rejected.
    public var name: String?
    /// The parameters that are left.
    public var parameters: [String: EventValue] = [:]
    /// What was changed or dropped, for the log; no values, which may be personal.
    public var notes: [String] = []
  }

  /// Applies the rules.
  public static func apply(name: String, parameters: [String: EventValue] = [:]) -> Verdict {
    var verdict = Verdict()
    verdict.name = identifier(name, of: "the event", notes: &verdict.notes).map(canonical)
    guard verdict.name != nil else { return verdict }
    var budget = byteLimit
    for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
      guard let key = identifier(key, of: "the parameter", notes: &verdict.notes), verdict.parameters[key] == nil,
        let value = checked(value, of: key, into: &verdict.notes)
      else { continue }
      guard verdict.parameters.count < parameterLimit else {
        note("dropped the parameters from \(key) on, the most is \(parameterLimit)", into: &verdict.notes)
        break
      }
      budget -= key.utf8.count + value.jsonCount + 4
      guard budget >= 0 else {
        note("dropped the parameters from \(key) on, the most is \(byteLimit) bytes", into: &verdict.notes)
        break
      }
      verdict.parameters[key] = value
    }
    return verdict
  }

  /// The name that the predefined events of the JavaScript interface have on the wire.
  private static func canonical(_ name: String) -> String {
    switch name {
    case "purchaseCompleted": "purchase_completed"
    case "subscriptionStarted": "subscription_started"
    default: name
    }
  }

  /// Whether a key does not drop its parameter.
  public static func isKept(_ key: String) -> Bool {
    isIdentifier(key) && !reservedPrefixes.contains(where: key.hasPrefix)
  }

  /// A name or key as it counts; nil when it is rejected.
  private static func identifier(_ text: String, of what: String, notes: inout [String]) -> String? {
    if isKept(text), text.utf8.count <= nameLimit { return text }
    let shown = text.unicodeScalars.prefix(nameLimit).map { $0.escaped(asASCII: true) }.joined()
    guard !reservedPrefixes.contains(where: text.hasPrefix) else {
      note("dropped \(what) \"\(shown)\", its prefix is reserved", into: &notes)
      return nil
    }
    guard isIdentifier(text) else {
      note("dropped \(what) \"\(shown)\", expected a letter, then letters, digits and _", into: &notes)
      return nil
    }
    note("cut \(what) \"\(shown)…\" to \(nameLimit) characters", into: &notes)
    return String(text.prefix(nameLimit))
  }

  private static func isIdentifier(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy {
      isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_")
    }
  }

  private static func checked(_ value: EventValue, of key: String, into notes: inout [String]) -> EventValue? {
    switch value {
    case .single(let scalar):
      return checked(scalar, of: key, into: &notes).map { .single($0) }
    case .list(let list):
      if list.count > listLimit { note("cut the list \(key) to \(listLimit) elements", into: &notes) }
      return .list(list.prefix(listLimit).compactMap { checked($0, of: key, into: &notes) })
    }
  }

  private static func checked(_ scalar: EventScalar, of key: String, into notes: inout [String]) -> EventScalar? {
    switch scalar {
    case .number(let number) where !number.isFinite:
      note("dropped a value of \(key) that is no finite number", into: &notes)
      return nil
    case .text(let text):
      // A character may be any number of scalars; both are bounded.
      let short = String(text.prefix(textLimit))
      let cut =
        short.unicodeScalars.count <= 4 * textLimit
        ? short : String(String.UnicodeScalarView(short.unicodeScalars.prefix(4 * textLimit)))
      if cut.utf8.count < text.utf8.count { note("cut a text of \(key) to \(textLimit) characters", into: &notes) }
      return .text(cut)
    default:
      return scalar
    }
  }

  private static func note(_ text: String, into notes: inout [String]) {
    guard notes.last != text, notes.count < noteLimit else { return }
    notes.append(notes.count == noteLimit - 1 ? "and more" : text)
  }
}

extension EventValue {
  /// The bytes of this value as JSON, at most.
  fileprivate var jsonCount: Int {
    switch self {
    case .single(let scalar): scalar.jsonCount
    case .list(let list): list.reduce(2) { $0 + $1.jsonCount + 1 }
    }
  }
}

extension EventScalar {
  fileprivate var jsonCount: Int {
    guard case .text(let text) = self else { return 26 }
    return text.utf8.reduce(2) { count, byte in
      switch byte {
      case 0..<0x20, 0x7f: count + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): count + 2
      default: count + 1
      }
    }
  }
}
