import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waits until sockets are ready, on a thread that all sockets of the process share.
///
/// It uses no dispatch sources: on Linux they may lose for good a descriptor that is watched again, or one with the
/// same number, after the peer hung up (swift-corelibs-libdispatch, issues 833 and 949).
final class SocketWatch: Sendable {
  static let shared = SocketWatch()

  /// The kinds of readiness.
  enum Readiness: Sendable {
    case readable, writable

    fileprivate var events: Int16 { Int16(self == .readable ? POLLIN : POLLOUT) }
  }

  private struct Wait: Sendable {
    let descriptor: Int32
    let events: Int16
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var waits: [Int: Wait] = [:]
    var last = 0
    var isRunning = false
  }

  private let state = Mutex(State())
  /// Wakes the poll, so that the next one includes new sockets.
  private let bell = Bell()

  /// Returns when the socket is ready, or has failed, or the task is cancelled. It must stay open meanwhile.
  func wait(for readiness: Readiness, of descriptor: Int32) async {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        begin(number, wait: Wait(descriptor: descriptor, events: readiness.events, continuation: continuation))
        // The task was cancelled before the wait was in the table.
        if Task.isCancelled { end(number) }
      }
    } onCancel: {
      end(number)
    }
  }

  private func begin(_ number: Int, wait: Wait) {
    let isRunning = state.withLock { state in
      state.waits[number] = wait
      defer { state.isRunning = true }
      return state.isRunning
    }
    if isRunning { bell.ring() } else { Thread.detachNewThread { [self] in run() } }
  }

  /// Ends a wait. Only the caller that removes it from the table resumes its continuation.
  private func end(_ number: Int) { state.withLock { $0.waits.removeValue(forKey: number) }?.continuation.resume() }

  private func run() {
    while true {
      let waits = Array(state.withLock { $0.waits })
      var polled = [pollfd(fd: bell.heard, events: Int16(POLLIN), revents: 0)]
      polled += waits.map { pollfd(fd: $0.value.descriptor, events: $0.value.events, revents: 0) }
      guard poll(&polled, nfds_t(polled.count), bell.patience) > 0 else { continue }
      if polled[0].revents != 0 { bell.silence() }
      for (wait, result) in zip(waits, polled.dropFirst()) where result.revents != 0 { end(wait.key) }
    }
  }
}

/// A pipe that wakes the polling thread.
private final class Bell: Sendable {
  let heard: Int32
  private let rung: Int32
  /// The poll's timeout in milliseconds: none, unless the pipe could not be made.
  var patience: Int32 { heard < 0 ? 50 : -1 }

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (heard, rung) = (ends[0], ends[1])
  }

  deinit { for end in [heard, rung] where end >= 0 { close(end) } }

  /// Wakes the poll. A write to a full pipe may fail: its bytes wake the poll already.
  func ring() { _ = write(rung, [1], 1) }

  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(heard, &bytes, bytes.count) > 0 {}
  }
}
