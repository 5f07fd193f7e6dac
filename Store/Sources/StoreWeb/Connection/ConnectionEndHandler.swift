import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import OnsideAPI

/// Closes connections that cannot serve another request: after an answer with `Connection: close`, after a head over
/// the limits, after a request for another protocol, and when a client keeps sending the body of an answered request.
///
/// It reads on for a moment before it closes: unread bytes would make the system reset the connection, and the client
/// might never see the answer (RFC 9112, section 9.6).
package final class ConnectionEndHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  package init() {}

  /// The most bytes of a body that are read after its request was answered: what the largest route takes.
  private static let unreadLimit = 1024 * 1024
  private static let linger = TimeAmount.seconds(1)
  private static let largeHead = Problem(
    .requestHeaderFieldsTooLarge, code: .invalidRequest,
    detail: "Expected a head of at most 32 KiB, in at most 100 fields of at most 16 KiB.")

  private var unanswered = 0
  private var isReadingRequest = false
  private var unread = 0
  private var closesAfterAnswer = false
  private var isEnding = false
  /// After a request with `Upgrade`, or CONNECT. NIO parses no request behind one, so that later bytes would pile up.
  private var asksForOtherProtocol = false
  /// A refusal that waits for the answers to earlier requests.
  private var refusal: Problem?

  func handlerAdded(context: ChannelHandlerContext) {
    // A pipeline without the codec has no other versions.
    try? OldVersionHandler.add(to: context.pipeline.syncOperations)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      isReadingRequest = true
      asksForOtherProtocol = head.method == .connect || head.headerFields[.upgrade] != nil
      unanswered += 1
      unread = 0
    case .body(let bytes):
      if isEnding || unanswered == 0 { unread += bytes.readableBytes }
      if unread > Self.unreadLimit { return context.close(promise: nil) }
    case .end:
      isReadingRequest = false
      if isEnding { return context.close(promise: nil) }
    }
    if !isEnding { context.fireChannelRead(data) }
  }

  /// Reads on after the last answer: the handlers behind this one do not ask for more then.
  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    if isEnding { context.read() }
  }

  /// Passes on what asks for more to read, but not behind a request for another protocol.
  func read(context: ChannelHandlerContext) {
    if isReadingRequest || isEnding || !asksForOtherProtocol { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The decoder also reports errors in the bytes behind a refused head.
    if isEnding || refusal != nil { return }
    // Within a request the route answers.
    guard case HTTPParserError.headerOverflow = error, !isReadingRequest else {
      return context.fireErrorCaught(error)
    }
    if unanswered == 0 { refuse(Self.largeHead, context: context) } else { refusal = Self.largeHead }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if asksForOtherProtocol, unanswered == 1, head.status.kind != .informational {
        head.headerFields[.connection] = "close"
      }
      closesAfterAnswer = head.headerFields[.connection]?.lowercased() == "close"
      return context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body:
      break
    case .end(let trailers):
      unanswered -= 1
      if closesAfterAnswer { return end(trailers, context: context, promise: promise, readsOn: isReadingRequest) }
      if unanswered == 0, let refusal {
        context.write(data, promise: promise)
        return refuse(refusal, context: context)
      }
    }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The client has read the answer and closes, too.
    if isEnding, event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  private func refuse(_ problem: Problem, context: ChannelHandlerContext) {
    var (headers, body) = problem.encoded()
    headers.addDefaults(for: .anyone)
    headers[.connection] = "close"
    headers[.contentLength] = String(body.readableBytes)
    context.write(wrapOutboundOut(.head(HTTPResponse(status: problem.status, headerFields: headers))), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    end(nil, context: context, promise: nil, readsOn: true)
  }

  /// Writes the end of the last answer, and closes once it is out.
  private func end(
    _ trailers: HTTPFields?, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?, readsOn: Bool
  ) {
    isEnding = true
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in
      let context = bound.value
      guard readsOn else { return context.close(promise: nil) }
      context.close(mode: .output, promise: nil)
      context.read()
      context.eventLoop.scheduleTask(in: Self.linger) { bound.value.close(promise: nil) }
    }
    context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: written)
  }
}
