import NIOCore
import NIOPosix
import NIOSSL
import StoreBase

/// A connection to a mail server: one command, one reply, in turns.
///
/// It is written on NIO because no other package of the project speaks SMTP, and libcurl would add C code and a thread
/// for each message. Codes need only a small part of the protocol.
final class SMTPConnection: Sendable {
  private let channel: any Channel
  private let replies: NIOLoopBound<SMTPReplies>

  private init(_ channel: any Channel, replies: NIOLoopBound<SMTPReplies>) {
    self.channel = channel
    self.replies = replies
  }

  /// Connects; with a context, TLS begins at once.
  static func open(
    host: String, port: Int, tls: NIOSSLContext?, timeout: Duration
  ) async throws -> SMTPConnection {
    let time = TimeAmount.nanoseconds(Int64(timeout.seconds * 1e9))
    let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(time)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler.smtp(tls, host: host)) }
          try channel.pipeline.syncOperations.addHandler(SMTPReplies())
        }
      }
    let channel = try await bootstrap.connect(host: host, port: port).get()
    // The timeout for the whole connection: all pending steps of the caller fail once the channel is closed.
    let deadline = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in deadline.cancel() }
    let replies = try await channel.eventLoop.submit {
      NIOLoopBound(try channel.pipeline.syncOperations.handler(type: SMTPReplies.self), eventLoop: channel.eventLoop)
    }.get()
    return SMTPConnection(channel, replies: replies)
  }

  /// The server's greeting: the reply that it sends before any command.
  func greeting() async throws -> SMTPReply { try await exchange(nil) }

  /// Sends a line and waits for its reply.
  func command(_ line: String) async throws -> SMTPReply { try await exchange(line + "\r\n") }

  /// Sends text unchanged and waits for the reply.
  func send(_ text: String) async throws -> SMTPReply { try await exchange(text) }

  /// Switches to TLS. Fails when the server has sent anything in the clear after its reply to `STARTTLS`: an attacker
  /// on the network could have injected it.
  func startTLS(_ context: NIOSSLContext, host: String) async throws {
    try await channel.eventLoop.submit { [channel, replies] in
      guard replies.value.isIdle else {
        throw MessageFailure.notAccepted("expected nothing before TLS begins, but something came in the clear")
      }
      try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler.smtp(context, host: host), position: .first)
    }.get()
  }

  func close() { channel.close(promise: nil) }

  private func exchange(_ text: String?) async throws -> SMTPReply {
    try await channel.eventLoop.flatSubmit { [channel, replies] in
      let promise = channel.eventLoop.makePromise(of: SMTPReply.self)
      replies.value.await(promise)
      if let text { channel.writeAndFlush(ByteBuffer(string: text)).cascadeFailure(to: promise) }
      return promise.futureResult
    }.get()
  }
}

extension NIOSSLClientHandler {
  fileprivate static func smtp(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
    do { return try NIOSSLClientHandler(context: context, serverHostname: host) } catch is NIOSSLExtraError {
      // An IP address has no server name; the certificate is compared with the address.
      return try NIOSSLClientHandler(context: context, serverHostname: nil)
    }
  }
}

/// A channel handler that gives each reply to the command that waits for it. After the greeting, a reply without a
/// waiting command ends the connection.
final class SMTPReplies: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private struct Closed: Error {}

  private var parser = SMTPReplyParser()
  private var waiting: EventLoopPromise<SMTPReply>?
  private var failure: (any Error)?
  private var greeting: SMTPReply?
  private var hasGreeted = false

  var isIdle: Bool { parser.isEmpty && waiting == nil }

  func await(_ promise: EventLoopPromise<SMTPReply>) {
    if let greeting {
      self.greeting = nil
      return promise.succeed(greeting)
    }
    if let failure { return promise.fail(failure) }
    // A second promise while the first waits is a caller's error: one command, one reply, in turns.
    waiting?.fail(Closed())
    waiting = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    parser.add(unwrapInboundIn(data))
    do {
      while let reply = try parser.next() {
        if let waiting {
          self.waiting = nil
          waiting.succeed(reply)
        } else if !hasGreeted {
          greeting = reply
        } else {
          throw MessageFailure.notAccepted("expected one answer to each command, got two")
        }
        hasGreeted = true
      }
    } catch {
      fail(error, context: context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context: context) }

  func channelInactive(context: ChannelHandlerContext) {
    fail(Closed(), context: context)
    context.fireChannelInactive()
  }

  private func fail(_ error: any Error, context: ChannelHandlerContext) {
    if failure == nil { failure = error }
    waiting?.fail(failure ?? error)
    waiting = nil
    context.close(promise: nil)
  }
}
