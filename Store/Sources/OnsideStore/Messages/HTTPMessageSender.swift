import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1

/// Hands messages to a gateway: one `POST` of JSON for each, with the message's id as `Idempotency-Key`.
public struct HTTPMessageSender: MessageSender {
  /// The gateway did not accept a message.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status that came; expected was 2xx.
    public let status: UInt

    /// What was expected and what came.
    public var description: String { "expected the message gateway to answer 2xx, got \(status)" }
  }

  private let configuration: MessageConfiguration
  private let url: URL

  /// A sender to the gateway at an address.
  public init(_ configuration: MessageConfiguration, url: URL) {
    self.configuration = configuration
    self.url = url
  }

  /// Posts the message and returns when the gateway has accepted it.
  public func send(_ message: OutgoingMessage) async throws {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "Idempotency-Key", value: message.id)
    if let authorization = configuration.authorization {
      request.headers.add(name: "Authorization", value: authorization.value)
    }
    request.body = .bytes(ByteBuffer(string: try body(message)))
    let timeout = TimeAmount.nanoseconds(Int64(configuration.timeout.seconds * 1e9))
    let response = try await HTTPClient.shared.execute(request, timeout: timeout)
    guard (200..<300).contains(response.status.code) else { throw Refusal(status: response.status.code) }
  }

  /// The template with its words replaced. Each is replaced once, in one pass: what a value holds is never read as a
  /// word again.
  private func body(_ message: OutgoingMessage) throws -> String {
    let values = ["to": message.phone.e164, "text": message.text, "code": message.code, "id": message.id]
    return try configuration.template.replacing(#/\{(to|text|code|id)\}/#) { match in
      let json = try JSONEncoder().encode(values[String(match.1)] ?? "")
      return String(decoding: json, as: UTF8.self).dropFirst().dropLast()
    }
  }
}
