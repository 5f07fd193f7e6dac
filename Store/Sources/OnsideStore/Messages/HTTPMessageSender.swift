public import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1

/// Hands messages to a gateway: one `POST` of JSON for each, with the message's id as `Idempotency-Key`.
public struct HTTPMessageSender: MessageSender {
  /// How the gateway is spoken to.
  public struct Configuration: Sendable, Hashable {
    /// The gateway's address.
    public var url: URL
    /// The JSON that is sent. `{to}`, `{text}`, `{code}` and `{id}` are replaced by JSON strings without their quotes.
    public var template: String
    /// The `Authorization` header, when the gateway wants one; a secret.
    public var authorization: String?
    /// Seconds until a try is given up.
    public var timeout: Int64

    /// A gateway; the default template is `{"to":"{to}","text":"{text}"}`.
    public init(
      url: URL, template: String = #"{"to":"{to}","text":"{text}"}"#, authorization: String? = nil, timeout: Int64 = 10
    ) {
      self.url = url
      self.template = template
      self.authorization = authorization
      self.timeout = timeout
    }
  }

  /// The gateway did not accept a message.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status that came; expected was 2xx.
    public let status: UInt

    /// What was expected and what came.
    public var description: String { "expected the message gateway to answer 2xx, got \(status)" }
  }

  private let configuration: Configuration
  private let client: HTTPClient

  /// A sender to a gateway.
  public init(_ configuration: Configuration, client: HTTPClient = .shared) {
    self.configuration = configuration
    self.client = client
  }

  /// Posts the message and returns when the gateway has accepted it.
  public func send(_ message: OutgoingMessage) async throws {
    var request = HTTPClientRequest(url: configuration.url.absoluteString)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "Idempotency-Key", value: message.id)
    if let authorization = configuration.authorization {
      request.headers.add(name: "Authorization", value: authorization)
    }
    request.body = .bytes(ByteBuffer(string: try body(message)))
    let response = try await client.execute(request, timeout: .seconds(configuration.timeout))
    guard (200..<300).contains(response.status.code) else { throw Refusal(status: response.status.code) }
  }

  private func body(_ message: OutgoingMessage) throws -> String {
    let values = ["to": message.phone.e164, "text": message.text, "code": message.code, "id": message.id]
    return try values.reduce(configuration.template) { text, value in
      let json = String(decoding: try JSONEncoder().encode(value.value), as: UTF8.self)
      return text.replacing("{\(value.key)}", with: json.dropFirst().dropLast())
    }
  }
}
