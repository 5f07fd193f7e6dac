import Foundation
import HTTPTypes
import Hummingbird

/// Middleware that refuses foreign host names and paths with control characters. Pages have one origin: a GET to
/// `localhost` is redirected to it.
struct DoorMiddleware: RouterMiddleware {
  let door: Door

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    try await door.admit(request, by: .host) {
      guard let path = request.uri.path.removingPercentEncoding,
        path.unicodeScalars.allSatisfy({ $0.value > 31 && $0.value != 127 })
      else { throw RequestGuard.Refusal(status: .badRequest, reason: "expected a path without control characters") }
      if request.method == .get, let address = door.address, request.head.authority != address.authority {
        return .redirect(to: "http://\(address.authority)" + request.uri.string, type: .temporary)
      }
      return try await next(request, context)
    }
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
    guard request.method == .get, let file = html(at: request.uri.path), let tag = door.address?.scriptTag else {
      return try await files(request, context: context, next)
    }
    let page = PageHTML(file, tag: tag)
    return Response(
      status: .ok,
      headers: [.contentType: page.contentType, .contentSecurityPolicy: "frame-ancestors 'none'"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: page.bytes)))
  }

  /// Serves the folder's files. Without a `favicon.ico` the answer is 204: browsers request it by themselves, and would
  /// log a 404 in the console.
  private func files(
    _ request: Request, context: BasicRequestContext,
    _ next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError where error.status == .notFound && request.uri.path == "/favicon.ico" {
      return Response(status: .noContent)
    }
  }

  /// The HTML file of a path; nil when there is none, or when a part of the path begins with a dot.
  private func html(at path: String) -> Data? {
    guard let name = path.removingPercentEncoding, name.hasPrefix("/"),
      !name.split(separator: "/").contains(where: { $0.hasPrefix(".") })
    else { return nil }
    let file = name.hasSuffix("/") ? name + "index.html" : name
    guard [".html", ".htm"].contains(where: file.lowercased().hasSuffix) else { return nil }
    return try? Data(contentsOf: folder.appending(path: String(file.dropFirst())))
  }
}
