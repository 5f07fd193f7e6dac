import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import OnsideAPI

extension Request {
  /// The body as a message of the wire. Throws `invalid_request`, which names the field, when it is not one, and
  /// `unsupported_media_type` when it is not JSON.
  public func message<Message: Decodable>(_ type: Message.Type, _ context: StoreRequestContext) async throws -> Message
  {
    try checkMediaType()
    let bytes = try await body.collect(upTo: context.maxUploadSize)
    return try message(type, bytes.readableBytesView)
  }

  /// The same of a body that was read already, because it is signed.
  package func message<Message: Decodable>(_ type: Message.Type, _ body: some Sequence<UInt8>) throws -> Message {
    try checkMediaType()
    do {
      return try WireCoding.decoder().decode(type, from: Data(body))
    } catch let error as DecodingError {
      throw Problem.invalidRequest(JSONNumbers.fault(in: Data(body), error) ?? error.field)
    }
  }

  /// Throws `unsupported_media_type` when the body is not said to be JSON.
  package func checkMediaType() throws(Problem) {
    guard let mediaType = headers[.contentType],
      mediaType == "application/json" || mediaType.lowercased().hasPrefix("application/json")
    else {
      throw Problem(.unsupportedMediaType, code: .unsupportedMediaType, detail: "Expected application/json.")
    }
  }
}
