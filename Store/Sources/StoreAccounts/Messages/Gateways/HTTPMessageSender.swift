import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreBase

/// Hands messages to any gateway with an HTTP interface: one request for each, by templates, with the message's id as
/// `Idempotency-Key`.
package struct HTTPMessageSender: MessageSender {
  let configuration: MessageConfiguration
  let url: String

  package var recognisesRepeats: Bool { configuration.recognisesRepeats }
  package var takesText: Bool {
    let body = configuration.method == .post ? [configuration.template] : []
    return ([url] + body + configuration.headers.fields.map(\.value)).contains { $0.contains("{text}") }
  }

  package func send(_ message: OutgoingMessage) async throws {
    try await GatewayCall(request: request(message), timeout: configuration.timeout).send()
  }

  /// Any answer shows that the gateway is there; what it makes of a message, only a message can show.
  package func check() async throws {
    var request = HTTPClientRequest(url: MessageTemplate(text: url, place: .address).filled(with: [:]))
    request.method = .OPTIONS
    _ = try await GatewayCall(request: request, timeout: configuration.timeout).answer()
  }

  private func request(_ message: OutgoingMessage) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: MessageTemplate(text: url, place: .address).filled(with: message))
    request.method = configuration.method == .get ? .GET : .POST
    for (name, value) in configuration.headers.fields {
      request.headers.add(name: name, value: MessageTemplate(text: value, place: .header).filled(with: message))
    }
    request.headers.replaceOrAdd(name: "Idempotency-Key", value: message.id)
    if let authorization = configuration.authorization {
      request.headers.replaceOrAdd(name: "Authorization", value: authorization.value)
    }
    guard configuration.method == .post else { return request }
    request.headers.replaceOrAdd(name: "Content-Type", value: configuration.contentType)
    let place = MessageTemplate.Place(contentType: configuration.contentType)
    let body = MessageTemplate(text: configuration.template, place: place).filled(with: message)
    request.body = .bytes(ByteBuffer(string: body))
    return request
  }
}
