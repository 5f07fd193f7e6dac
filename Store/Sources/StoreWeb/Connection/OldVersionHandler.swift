import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Closes connections of HTTP/1.0 after their answer, unless the client asks to keep them (RFC 9112, section 9.3): the
/// handlers behind the codec do not see the version.
final class OldVersionHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0,
      !head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "keep-alive" })
    else { return context.fireChannelRead(data) }
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Adds a handler before the codec of a connection.
  static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
    try pipeline.addHandler(OldVersionHandler(), position: .before(codec))
  }
}
