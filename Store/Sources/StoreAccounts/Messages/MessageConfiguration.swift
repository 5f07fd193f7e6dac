public import StoreBase

/// The configuration of text messages.
public struct MessageConfiguration: Sendable, Hashable {
  /// The kinds of sender.
  public enum Sender: String, Sendable, CaseIterable {
    /// Standard output, which is for development only.
    case console
    /// Any gateway with an HTTP interface.
    case http
    /// The `sendsms` service of Kannel.
    case kannel
    /// None: phone numbers are not offered for logins.
    case none
  }

  /// The HTTP method of a request to a gateway.
  public enum Method: String, Sendable, CaseIterable {
    /// Without a body: all values are part of the URL.
    case get = "GET"
    /// With a body.
    case post = "POST"
  }

  /// The sender.
  public var sender: Sender = .console
  /// The gateway's address, in which `{to}`, `{text}`, `{code}` and `{id}` are replaced.
  public var url: String?
  /// The HTTP method of a request to the gateway.
  public var method: Method = .post
  /// The media type of the body; values are escaped for it.
  public var contentType = "application/json"
  /// The body. `{to}`, `{text}`, `{code}` and `{id}` are replaced.
  public var template = #"{"to":"{to}","text":"{text}"}"#
  /// Headers beside those that the store sets.
  public var headers = MessageHeaders()
  /// The `Authorization` header, when the gateway wants one.
  public var authorization: ConfigurationSecret?
  /// Kannel's `sendsms-user`.
  public var user: String?
  /// Its password.
  public var password: ConfigurationSecret?
  /// The number or name that messages come from, for Kannel.
  public var from: String?
  /// Whether the gateway recognises a second try by its `Idempotency-Key` or `{id}`.
  public var recognisesRepeats = false
  /// How long a try may take.
  public var timeout: Duration = .seconds(10)

  /// The default: standard output.
  public init() {}
}

extension MessageConfiguration {
  /// Throws if the sender lacks a key that it needs.
  package func check() throws(ConfigurationError) {
    if sender == .http || sender == .kannel {
      guard url != nil else {
        throw .needed(name: "messages.url", reason: "messages.sender is \"\(sender.rawValue)\"")
      }
    } else if url != nil {
      throw .needed(name: "messages.sender", reason: "messages.url is set; say \"http\" or \"kannel\"")
    }
    if sender == .kannel, user == nil || password == nil {
      throw .needed(name: "messages.user", reason: "Kannel wants it and messages.password")
    }
  }
}

/// Headers of a gateway, each `Name: value`; their values never print.
public struct MessageHeaders: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let fields: [(name: String, value: String)]

  /// No headers.
  public init() { fields = [] }

  /// Parses lines of `Name: value`; nil when a line has another form.
  public init?(parsing text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
    let fields = lines.compactMap { line -> (name: String, value: String)? in
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingWhitespace() }
      guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isHeaderName) else { return nil }
      return (parts[0], parts[1])
    }
    guard fields.count == lines.count else { return nil }
    self.fields = fields
  }

  /// The names alone.
  public var description: String { fields.map(\.name).joined(separator: ", ") }
  /// The names alone.
  public var customMirror: Mirror { Mirror(self, children: ["names": description]) }

  /// Equal lines.
  public static func == (left: Self, right: Self) -> Bool {
    left.fields.elementsEqual(right.fields) { $0 == $1 }
  }

  /// Hashes the lines.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(field.name)
      hasher.combine(field.value)
    }
  }
}

extension Character {
  /// A character of a header's name (RFC 9110, 5.1).
  fileprivate var isHeaderName: Bool {
    isASCII && (isLetter || isNumber || "!#$%&'*+-.^_`|~".contains(self))
  }
}

extension Substring {
  fileprivate func trimmingWhitespace() -> String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
