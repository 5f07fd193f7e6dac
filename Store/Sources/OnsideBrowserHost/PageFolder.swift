import Foundation
import HTTPTypes
import Hummingbird

/// Nothing is served under a foreign name.
struct DoorMiddleware: RouterMiddleware {
  let door: Door

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    try await door.admit(request, by: .host) { try await next(request, context) }
  }
}

/// Serves the HTML of a folder with the script tag in it.
struct PageMiddleware: RouterMiddleware {
  let folder: URL
  let door: Door

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    guard request.method == .get, let html = html(at: request.uri.path), let tag = door.address?.scriptTag else {
      return try await next(request, context)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: "frame-ancestors 'none'"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: Self.insert(tag, into: html))))
  }

  /// The page of a path; nil when there is none, or when it is not one of the folder.
  private func html(at path: String) -> String? {
    guard let name = path.removingPercentEncoding, name.hasPrefix("/"),
      !name.split(separator: "/").contains(where: { $0.hasPrefix(".") })
    else { return nil }
    let file = name.hasSuffix("/") ? name + "index.html" : name
    guard file.hasSuffix(".html") else { return nil }
    return try? String(contentsOf: folder.appending(path: String(file.dropFirst())), encoding: .utf8)
  }

  /// Puts the tag before every other script.
  static func insert(_ tag: String, into html: String) -> String {
    guard let head = html.firstRange(of: /<head(\s[^>]*)?>/.ignoresCase()) else {
      guard let doctype = html.firstRange(of: /<!doctype[^>]*>/.ignoresCase()) else { return tag + html }
      return html[..<doctype.upperBound] + tag + html[doctype.upperBound...]
    }
    return html[..<head.upperBound] + tag + html[head.upperBound...]
  }
}
