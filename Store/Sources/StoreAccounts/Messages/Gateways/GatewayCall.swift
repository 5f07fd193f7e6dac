import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import StoreBase

/// One request to a gateway, and what its outcome means for the message.
struct GatewayCall {
  let request: HTTPClientRequest
  let timeout: Duration

  /// The status and the beginning of the body of the gateway's answer.
  func answer() async throws(MessageFailure) -> (status: UInt, body: String) {
    do {
      let response = try await HTTPClient.shared.execute(
        request, timeout: .nanoseconds(Int64(timeout.seconds * 1e9)))
      let body = try? await response.body.collect(upTo: 4096)
      return (response.status.code, body.map { String(buffer: $0) } ?? "")
    } catch {
      throw Self.failure(error)
    }
  }

  /// Takes a message for accepted on 2xx.
  func send() async throws(MessageFailure) {
    let status = try await answer().status
    let text = "expected the message gateway to answer 2xx, got \(status)"
    switch status {
    case 200..<300: return
    // What its operator can put right: credentials, too many messages, a pause.
    case 401, 403, 404, 408, 425, 429, 503: throw .notAccepted(text)
    // A proxy's answer, or one from the middle of the work.
    case 409, 500..<600: throw .unclear(text)
    default: throw .refused(text)
    }
  }

  private static func isBeforeRequest(_ error: HTTPClientError) -> Bool {
    [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error)
  }

  /// Whether the connection was never made.
  private static func isRefusal(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return error is NIOConnectionError }
    return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
  }

  private static func failure(_ error: any Error) -> MessageFailure {
    let name = error.loggedName
    switch error {
    case let error as HTTPClientError where Self.isBeforeRequest(error):
      return .notAccepted("expected a connection to the message gateway, got none in time")
    case _ where Self.isRefusal(error):
      return .notAccepted("expected the message gateway to accept a connection; is its address right, and does it run?")
    case is NIOSSLError, is BoringSSLError:
      return .notAccepted("expected a TLS certificate of the message gateway that this machine trusts, got \(name)")
    default:
      return .unclear("expected an answer of the message gateway, got \(name)")
    }
  }
}
