import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import OnsideAPI

extension Response {
  /// An answer of bytes.
  static func bytes(
    _ body: some Sequence<UInt8>, _ contentType: String, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: contentType], body: .init(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// A message of the wire as JSON.
  public static func json(_ message: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    bytes(try WireCoding.encoder().encode(message), "application/json", status: status)
  }

  /// 204 without a body.
  public static var noContent: Response { Response(status: .noContent) }
}

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
  func message<Message: Decodable>(_ type: Message.Type, _ body: some Sequence<UInt8>) throws -> Message {
    try checkMediaType()
    do {
      return try WireCoding.decoder().decode(type, from: Data(body))
    } catch let error as DecodingError {
      throw Problem.invalidRequest(JSONNumbers.fault(in: Data(body), error) ?? error.field)
    }
  }

  /// Throws `unsupported_media_type` when the body is not said to be JSON.
  func checkMediaType() throws(Problem) {
    guard let mediaType = headers[.contentType],
      mediaType == "application/json" || mediaType.lowercased().hasPrefix("application/json")
    else {
      throw Problem(.unsupportedMediaType, .unsupportedMediaType, "Expected application/json.")
    }
  }
}

extension DecodingError {
  /// Which field was wrong; nothing of what it held.
  fileprivate var field: String {
    switch self {
    case .keyNotFound(let key, let context): "Expected the field \(Self.path(context, key))."
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      context.codingPath.isEmpty
        ? "Expected a JSON object." : "Expected \(Self.word(for: type)) in the field \(Self.path(context))."
    case .dataCorrupted(let context):
      context.codingPath.isEmpty ? "Expected a JSON object." : "The field \(Self.path(context)) has no valid value."
    @unknown default: "Expected a JSON object."
    }
  }

  private static func word(for type: any Any.Type) -> String {
    switch type {
    case is any BinaryInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    default: "another kind of value"
    }
  }

  private static func path(_ context: Context, _ key: (any CodingKey)? = nil) -> String {
    (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
  }
}
