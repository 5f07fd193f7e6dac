import Foundation
import Synchronization

/// What is heard on a channel, and what is sent to it. It is called by the listener's thread, and has to be quick.
public protocol PostgresChannelClient: Sendable {
  /// The session listens from now on. What was sent before is lost: read everything again.
  func didListen()
  /// Another session has sent this.
  func didReceive(_ payload: String)
  /// What is to be sent now, at most 7,999 bytes; nil when there is nothing.
  func nextPayload() -> String?
}

/// A session of its own that listens to a channel of NOTIFY and sends to it, on a thread of its own. When the session
/// ends, another one is opened.
///
/// A notification never belongs to a transaction that writes: the server gives up group commit for those that notify.
public final class PostgresListener: Sendable {
  private struct State {
    var isRunning = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  /// The least time between two notifications.
  private static let interval = Duration.milliseconds(20)
  /// How long the server may be silent until it is asked whether it is there.
  private static let silence = Duration.seconds(10)

  private let address: PostgresAddress
  private let settings: PostgresSettings
  private let channel: String
  private let opening: String
  private let timeline: PostgresTimeline?
  private let client: any PostgresChannelClient
  private let signal = ThreadSignal()
  private let state = Mutex(State())

  /// A listener, which does nothing yet.
  ///
  /// - Parameters:
  ///   - channel: an SQL identifier.
  ///   - opening: statements that each of its sessions begins with, such as one that takes a lock.
  ///   - timeline: what its sessions share with others that are to reach no older primary.
  public init(
    _ address: PostgresAddress, settings: PostgresSettings = PostgresSettings(), channel: String,
    opening: String = "", timeline: PostgresTimeline? = nil, client: any PostgresChannelClient
  ) {
    self.address = address
    self.settings = settings
    self.channel = channel
    self.opening = opening
    self.timeline = timeline
    self.client = client
  }

  /// Begins to listen, unless it does, and asks the client what is to be sent.
  public func start() {
    let isFirst = state.withLock { state in
      guard !state.isClosed, !state.isRunning else { return false }
      state.isRunning = true
      return true
    }
    signal.raise()
    if isFirst { Thread.detachNewThread { self.serve() } }
  }

  /// Sends what is still to be sent, if a session is open, and ends it.
  public func shutDown() {
    state.withLock { $0.isClosed = true }
    signal.raise()
  }

  /// Does the same, and returns when the session has ended.
  public func close() async {
    await withCheckedContinuation { continuation in
      let isRunning = state.withLock { state in
        state.isClosed = true
        if state.isRunning { state.closers.append(continuation) }
        return state.isRunning
      }
      signal.raise()
      if !isRunning { continuation.resume() }
    }
  }
}

extension PostgresListener {
  private var isClosed: Bool { state.withLock(\.isClosed) }

  /// The life of the thread.
  private func serve() {
    var pause = Duration.milliseconds(50)
    // One try even when it is closed already: something may wait to be sent.
    repeat {
      do throws(PostgresError) {
        let connection = try PostgresConnection(address, settings: settings, timeline: timeline)
        defer { connection.close() }
        try connection.run(script: "LISTEN \(channel); \(opening)")
        pause = .milliseconds(50)
        client.didListen()
        try exchange(with: connection)
      } catch {
        // The server is away. What is told meanwhile waits; only the end is urgent.
        let end = ContinuousClock.now + pause
        while !isClosed, ContinuousClock.now < end {
          Socket.waitToRead([signal.descriptor], until: end)
          _ = signal.take()
        }
        pause = min(pause * 2, .seconds(1))
      }
    } while !isClosed
    let closers = state.withLock { state in
      defer { (state.isRunning, state.closers) = (false, []) }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  /// Hears and sends until the listener is closed, or another server is known to have taken the place of this one.
  private func exchange(with connection: PostgresConnection) throws(PostgresError) {
    let start = ContinuousClock.now
    // At once: something may have waited for the session.
    var sendAt: ContinuousClock.Instant? = start
    var nextSendAllowed = start
    var probeAt = start + Self.silence
    while timeline?.isCurrent(connection.session.timeline) ?? true {
      let now = ContinuousClock.now
      let isEnding = isClosed
      if isEnding || sendAt.map({ $0 <= now }) ?? false {
        sendAt = nil
        if try send(with: connection) { nextSendAllowed = now + Self.interval }
        if isEnding { return }
      } else if probeAt <= now {
        try connection.run(script: "")
        probeAt = .now + Self.silence
      }
      let deadline = min(sendAt ?? probeAt, probeAt)
      for notification in try connection.notifications(beside: signal.descriptor, until: deadline)
      where notification.sender != connection.session.processID { client.didReceive(notification.payload) }
      if signal.take(), sendAt == nil { sendAt = max(.now, nextSendAllowed) }
    }
  }

  private func send(with connection: PostgresConnection) throws(PostgresError) -> Bool {
    guard let payload = client.nextPayload() else { return false }
    try connection.query("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
    return true
  }
}

extension PostgresConnection {
  /// ``LibPQSession/notifications(beside:until:)`` with the errors of the client.
  fileprivate func notifications(
    beside descriptor: Int32, until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> [PostgresNotification] {
    do throws(LibPQSession.Silence) {
      return try session.notifications(beside: descriptor, until: deadline)
    } catch { throw PostgresError(error) }
  }
}
