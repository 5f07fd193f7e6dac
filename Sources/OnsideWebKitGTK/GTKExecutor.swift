import CWebKitGTK
import Foundation
import Synchronization

/// Runs jobs on the thread that runs GLib's default main context. This is the one file that answers for C threads.
final class GTKExecutor: SerialExecutor, @unchecked Sendable {
  static let shared = GTKExecutor()

  private enum Loop {
    /// Nobody runs GTK yet; jobs wait.
    case none
    /// Somebody is starting it; they wait for the outcome.
    case starting([CheckedContinuation<Bool, Never>])
    case running(pthread_t)
    case noDisplay
  }
  private let loop = Mutex(Loop.none)

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    g_idle_add_full(
      G_PRIORITY_DEFAULT,
      { pointer in
        unsafeBitCast(pointer, to: UnownedJob.self).runSynchronously(
          on: GTKExecutor.shared.asUnownedSerialExecutor())
        return 0
      }, unsafeBitCast(job, to: UnsafeMutableRawPointer.self), nil)
  }

  func isIsolatingCurrentContext() -> Bool? { isOnThread }

  func checkIsolated() {
    precondition(isOnThread, "expected GTK's thread; call this from the GTKActor")
  }

  private var isOnThread: Bool {
    loop.withLock { if case .running(let thread) = $0 { pthread_equal(pthread_self(), thread) != 0 } else { false } }
  }

  // MARK: The loop

  /// Starts a thread that runs GTK, unless one runs already.
  /// - Returns: whether there is a display.
  func start() async -> Bool {
    await withCheckedContinuation { waiting in
      let isFirst = loop.withLock { loop in
        switch loop {
        case .none:
          loop = .starting([waiting])
          return true
        case .starting(let others):
          loop = .starting(others + [waiting])
        case .running:
          waiting.resume(returning: true)
        case .noDisplay:
          waiting.resume(returning: false)
        }
        return false
      }
      guard isFirst else { return }
      let thread = Thread { [self] in
        let isOpen = gtk_init_check() != 0
        started(isOpen ? .running(pthread_self()) : .noDisplay)
        if isOpen { g_main_loop_run(g_main_loop_new(nil, 0)) }
      }
      thread.name = "GTK"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func started(_ outcome: Loop) {
    let waiting = loop.withLock { loop in
      guard case .starting(let waiting) = loop else { return [CheckedContinuation<Bool, Never>]() }
      loop = outcome
      return waiting
    }
    let isOpen = if case .running = outcome { true } else { false }
    for one in waiting { one.resume(returning: isOpen) }
  }

  /// Declares the calling thread to be GTK's: the app runs the loop itself.
  func adopt() { loop.withLock { $0 = .running(pthread_self()) } }
}
