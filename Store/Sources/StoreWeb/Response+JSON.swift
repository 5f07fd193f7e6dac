import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import OnsideAPI

extension Response {
  /// An answer of bytes.
  package static func bytes(
    _ body: some Sequence<UInt8>, contentType: String, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: contentType], body: .init(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// A message of the wire as JSON.
  public static func json(_ message: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    bytes(try WireCoding.encoder().encode(message), contentType: "application/json", status: status)
  }

  /// 204 without a body.
  public static var noContent: Response { Response(status: .noContent) }
}

extension Response {
  /// The same answer with the time to wait before the next try.
  package func retryable(after seconds: Int) -> Response {
    var response = self
    response.headers[.retryAfter] = String(seconds)
    return response
  }
}
