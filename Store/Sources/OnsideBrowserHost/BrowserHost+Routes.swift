import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideKit

extension BrowserHost {
  /// The routes of the host.
  func router(_ door: Door) -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    if case .folder(let folder) = settings.page {
      router.add(middleware: DoorMiddleware(door: door))
      router.add(middleware: PageMiddleware(folder: folder, door: door))
      router.add(middleware: FileMiddleware(folder.path(percentEncoded: false), logger: Self.silence))
    } else {
      // A browser that opens this address is redirected to the page's address.
      router.get("/") { request, _ in
        try await door.admit(request, by: .host) {
          guard let page = door.address?.page else { throw HTTPError(.serviceUnavailable) }
          return .redirect(to: page.absoluteString, type: .temporary)
        }
      }
      router.get("favicon.ico") { request, _ in
        try await door.admit(request, by: .host) { Response(status: .noContent) }
      }
    }
    router.get("onside.js") { request, _ in
      try await door.admit(request, by: .token) {
        guard let address = door.address else { throw HTTPError(.serviceUnavailable) }
        return Response(
          status: .ok, headers: [.contentType: "text/javascript; charset=utf-8"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: DevPageScript(for: address.origin).text)))
      }
    }
    router.get("events") { request, _ in
      try await door.admit(request, by: .page) { try self.events(of: request) }
    }
    router.post("messages") { request, _ in
      try await door.admit(request, by: .page) { try await self.reply(to: request) }
    }
    return router
  }

  /// Begins a page and holds a stream open to it; when the browser closes it, the page has ended.
  private func events(of request: Request) throws(RequestGuard.Refusal) -> Response {
    let name = try tabName(of: request)
    guard let (tab, page) = tabs.beginPage(BrowserHostSettings.randomToken(), in: name) else {
      throw RequestGuard.Refusal(status: .tooManyRequests, reason: "expected fewer open tabs")
    }
    log.begin(page: page.id, inTab: tab.number)
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: ResponseBody { writer in
        defer { self.end(page.id, in: tab, name: name) }
        try await writer.write(ByteBuffer(string: "event: page\ndata: \(page.id)\n\n"))
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await message in page.pushes {
            self.log.sent(message, to: page.id)
            try await writer.write(ByteBuffer(string: "data: \(message)\n\n"))
          }
        } onInboundClosed: {
          self.end(page.id, in: tab, name: name)
        }
        try await writer.finish(nil)
      })
  }

  /// Ends a page, and its tab unless a new page begins in it within `secondsToReturn`, as after a reload.
  private func end(_ page: String, in tab: Tab, name: String) {
    let wasThere = tab.endPage(page)
    log.end(page: page)
    guard wasThere else { return }
    Task { [tabs, log, seconds = settings.secondsToReturn] in
      try? await Task.sleep(for: .seconds(seconds))
      if tabs.forget(name, in: tab) { log.closed(tab: tab.number) }
    }
  }

  /// One message of a page, and its reply.
  private func reply(to request: Request) async throws -> Response {
    let id = request.uri.queryParameters["page"].map(String.init) ?? ""
    guard let page = tabs[try tabName(of: request)]?.page(id) else {
      throw RequestGuard.Refusal(status: .gone, reason: "this page has ended; reload it")
    }
    let reply: String
    switch try await Self.message(in: request, limit: limits.messageBytes) {
    case .text(let message):
      log.received(message, from: id)
      reply = page.receive(message)
    case .tooLarge(let size): reply = page.refuse(messageOfSize: size)
    }
    log.sent(reply, to: id)
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: reply)))
  }

  private enum Message {
    case text(String)
    case tooLarge(bytes: Int)
  }

  /// Reads a whole body and keeps no more than the limit: a browser whose request is answered before it is sent reports
  /// a broken connection instead of the answer.
  private static func message(in request: Request, limit: Int) async throws -> Message {
    var (text, size) = (ByteBuffer(), 0)
    for try await var part in request.body {
      size += part.readableBytes
      if size <= limit { text.writeBuffer(&part) }
    }
    return size <= limit ? .text(String(buffer: text)) : .tooLarge(bytes: size)
  }

  private func tabName(of request: Request) throws(RequestGuard.Refusal) -> String {
    guard let name = request.uri.queryParameters["tab"].map(String.init), (1...64).contains(name.utf8.count) else {
      throw RequestGuard.Refusal(status: .badRequest, reason: "expected the name of a tab, at most 64 bytes")
    }
    return name
  }
}
