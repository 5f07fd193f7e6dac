public import Foundation

/// How codes reach phones: through a gateway, or, without one, to standard output.
public struct MessageConfiguration: Sendable, Hashable {
  /// The gateway's address; nil writes codes to standard output, which is for development only.
  public var url: URL?
  /// The JSON that the gateway is sent. `{to}`, `{text}`, `{code}` and `{id}` are replaced by JSON strings without their
  /// quotes.
  public var template = #"{"to":"{to}","text":"{text}"}"#
  /// The `Authorization` header, when the gateway wants one.
  public var authorization: MessageSecret?
  /// How long a try may take.
  public var timeout: Duration = .seconds(10)

  /// The default: standard output.
  public init() {}

  /// The sender that this describes.
  var sender: any MessageSender {
    url.map { HTTPMessageSender(self, url: $0) } ?? ConsoleMessageSender()
  }
}

/// A secret of the configuration. Printing it shows nothing.
public struct MessageSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let value: String

  /// A secret.
  public init(_ value: String) { self.value = value }

  /// Nothing of the secret.
  public var description: String { "redacted" }
  /// Nothing of the secret.
  public var debugDescription: String { description }
  /// Nothing of the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
