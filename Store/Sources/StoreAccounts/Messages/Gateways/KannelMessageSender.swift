import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreBase

/// Sends text messages through the `sendsms` service of a Kannel SMS gateway. It uses POST, so that number, text and
/// password are not part of a URL, which programs often log.
///
/// Kannel has no idempotency key: a send with an unclear outcome is not repeated.
package struct KannelMessageSender: MessageSender {
  let configuration: MessageConfiguration
  let url: String

  package var recognisesRepeats: Bool { false }

  package func send(_ message: OutgoingMessage) async throws {
    try await GatewayCall(request: request(to: message.to.text, message.text), timeout: configuration.timeout).send()
  }

  /// Sends a request without a receiver: Kannel checks user and password first, then refuses for the missing receiver.
  package func check() async throws {
    let (status, _) = try await GatewayCall(request: request(to: nil, ""), timeout: configuration.timeout).answer()
    switch status {
    case 400: return
    case 403:
      throw MessageFailure.notAccepted(
        "expected Kannel to know messages.user and messages.password, got 403; compare them with its sendsms-user group"
      )
    default:
      throw MessageFailure.notAccepted(
        """
        expected Kannel's sendsms service at messages.url, got \(status); is it …/cgi-bin/sendsms on the smsbox's port?
        """)
    }
  }

  private func request(to receiver: String?, _ text: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
    request.headers.add(name: "X-Kannel-Username", value: configuration.user ?? "")
    request.headers.add(name: "X-Kannel-Password", value: configuration.password?.value ?? "")
    if let from = configuration.from { request.headers.add(name: "X-Kannel-From", value: from) }
    if let receiver { request.headers.add(name: "X-Kannel-To", value: receiver) }
    request.headers.add(name: "X-Kannel-Coding", value: GSMAlphabet.canWrite(text) ? "0" : "2")
    request.body = .bytes(ByteBuffer(string: text))
    return request
  }
}

/// The default alphabet of text messages (3GPP TS 23.038), in which 160 characters fit into one; others take 70.
enum GSMAlphabet {
  private static let characters = Set(
    """
    @£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿\
    abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€
    """)

  static func canWrite(_ text: String) -> Bool { text.allSatisfy(characters.contains) }
}
