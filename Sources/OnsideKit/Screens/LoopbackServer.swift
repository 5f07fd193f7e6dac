package import Foundation

/// An HTTP server on 127.0.0.1, on a port that the system picks.
///
/// Any program on this machine can connect, so each request has a size and a time limit, and the number of requests
/// that are read at once is limited.
package struct LoopbackServer: Sendable {
  /// The most bytes of a request that are read.
  package static let requestLimit = 16_384
  /// How long a request may take to arrive, in seconds.
  package static let requestDeadline = 15.0
  /// How many requests are read at the same time.
  package static let parallelLimit = 16

  private let socket: PlatformSocket
  private let sleep: @Sendable (Double) async throws -> Void

  /// Starts to listen.
  package init(sleep: @escaping @Sendable (Double) async throws -> Void) throws(ScreenPresentationError) {
    do {
      socket = try PlatformSocket.listening()
    } catch {
      throw ScreenPresentationError(
        "expected to listen on 127.0.0.1 for the page's redirect, but \(error); let the app use the loopback interface")
    }
    self.sleep = sleep
  }

  /// The address of a path of this server.
  package func address(_ path: String) -> URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "127.0.0.1"
    components.port = Int(socket.port)
    components.path = path
    return components.url ?? URL(filePath: "/")
  }

  /// Answers requests until one has an outcome; nil when the task is cancelled.
  /// - Parameters:
  ///   - answer: is given nil for a request that cannot be read.
  ///   - streamEnded: is called when the browser has closed a stream that it was answered with; that may be an outcome,
  ///     too.
  package func run<Outcome: Sendable>(
    _ answer: @escaping @Sendable (LoopbackRequest?) async -> (response: LoopbackResponse, outcome: Outcome?),
    streamEnded: @escaping @Sendable () async -> Outcome? = { nil }
  ) async -> Outcome? {
    await withTaskGroup(of: Step<Outcome>.self) { group in
      var reading = 0
      group.addTask { .connected(await socket.accept()) }
      while let step = await group.next() {
        switch step {
        case .connected(nil):
          group.cancelAll()
          return nil
        case .connected(let connection?):
          reading += 1
          group.addTask { .answered(await serve(connection, answer: answer, streamEnded: streamEnded)) }
          if reading < Self.parallelLimit { group.addTask { .connected(await socket.accept()) } }
        case .answered(let outcome?):
          group.cancelAll()
          return outcome
        case .answered(nil):
          if reading == Self.parallelLimit { group.addTask { .connected(await socket.accept()) } }
          reading -= 1
        }
      }
      return nil
    }
  }

  private enum Step<Outcome: Sendable>: Sendable {
    case connected(PlatformSocket?)
    case answered(Outcome?)
  }

  private func serve<Outcome: Sendable>(
    _ connection: PlatformSocket,
    answer: @Sendable (LoopbackRequest?) async -> (response: LoopbackResponse, outcome: Outcome?),
    streamEnded: @Sendable () async -> Outcome?
  ) async -> Outcome? {
    let bytes = try? await withDeadline(Self.requestDeadline, sleep: sleep) { await read(connection) }
    let (response, outcome) = await answer(LoopbackRequest(bytes ?? [], host: "127.0.0.1:\(socket.port)"))
    _ = try? await withDeadline(Self.requestDeadline, sleep: sleep) { await connection.write(response.bytes) }
    if response.isStream {
      while await !connection.read(upTo: 4096).isEmpty {}
      return Task.isCancelled ? nil : await streamEnded()
    }
    connection.finishWriting()
    return outcome
  }

  private func read(_ connection: PlatformSocket) async -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < Self.requestLimit {
      let more = await connection.read(upTo: 4096)
      guard !more.isEmpty else { return [] }
      bytes += more
      if LoopbackRequest.isComplete(bytes) { return bytes }
    }
    return []
  }
}
