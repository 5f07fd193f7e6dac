import NIOCore
import NIOHTTPTypes

/// Closes connections that are too slow: no head in time, a body that drips, an idle connection. Each phase has one
/// deadline for the whole of it, so that a byte now and then does not help. While the store is answering there is
/// none: the route's own limit holds.
package final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  private let limits: StoreLimits
  private var deadline: NIODeadline?
  private var isReadingRequest = false
  private var unanswered = 0
  private var check: Scheduled<Void>?

  package init(limits: StoreLimits) {
    self.limits = limits
  }

  func handlerAdded(context: ChannelHandlerContext) {
    expect(within: limits.headTimeout)
    schedule(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    check?.cancel()
    check = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      isReadingRequest = true
      unanswered += 1
      expect(within: limits.bodyTimeout)
    case .body:
      break
    case .end:
      isReadingRequest = false
      expectNext()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      unanswered -= 1
      expectNext()
    }
    context.write(data, promise: promise)
  }

  private func expectNext() {
    guard !isReadingRequest else { return }
    if unanswered > 0 { deadline = nil } else { expect(within: limits.idleTimeout) }
  }

  private func expect(within limit: Duration) {
    deadline = .now() + TimeAmount(limit)
  }

  /// One timer for the connection, not one for each request: it looks whether the deadline has moved.
  private func schedule(_ context: ChannelHandlerContext) {
    let next = deadline ?? .now() + TimeAmount(limits.headTimeout)
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleTask(deadline: next) {
      let (handler, context) = bound.value
      if let deadline = handler.deadline, deadline <= .now() {
        context.close(promise: nil)
      } else {
        handler.schedule(context)
      }
    }
  }
}
