import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import OnsideAPI
import OnsideCommerce

extension Problem: HTTPResponseError {
  /// The answer, `application/problem+json`.
  public func response(from request: Request, context: some RequestContext) -> Response {
    let (headers, body) = encoded()
    return Response(status: status, headers: headers, body: .init(byteBuffer: body))
  }
}

extension Problem {
  /// The answer's headers and body.
  func encoded() -> (headers: HTTPFields, body: ByteBuffer) {
    let details = ProblemDetails(
      type: "/problems/\(code.rawValue)", title: title, status: status.code, detail: detail, code: code,
      country: country?.alpha2, vault: vault, serverTime: serverTime)
    // A struct of texts and a number always encodes.
    let body = (try? WireCoding.encoder().encode(details)) ?? Data()
    var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
    return (headers, ByteBuffer(bytes: body))
  }

  /// The summary that every problem of this code shares.
  private var title: String { ProblemExplanation.byCode[code]?.title ?? status.reasonPhrase }
}
