import PostgresClient
import Synchronization

/// A client of a listener that keeps what the listener calls it with.
final class RecordedChannel: PostgresChannelClient {
  private let sessions = AsyncStream.makeStream(of: Void.self)
  private let payloads = AsyncStream.makeStream(of: String.self)
  private let toSend = Mutex<[String]>([])

  /// Returns when a session has begun to listen; another one each time.
  func listened() async { for await _ in sessions.stream { return } }

  /// What another session has sent; the next one each time. Nil when the task was cancelled.
  func received() async -> String? { await payloads.stream.first { _ in true } }

  /// Has the listener send this once it is asked to.
  func send(_ payload: String) { toSend.withLock { $0.append(payload) } }

  func didListen() { sessions.continuation.yield() }

  func didReceive(_ payload: String) { payloads.continuation.yield(payload) }

  func nextPayload() -> String? { toSend.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
