import CWebKitGTK
import Foundation
import Synchronization

/// Runs jobs on the thread that runs GLib's default main context.
final class GTKExecutor: SerialExecutor {
  static let shared = GTKExecutor()

  private enum Loop {
    case none
    /// A thread is starting it; these wait to know whether there is a display.
    case starting([CheckedContinuation<Bool, Never>])
    case running(pthread_t, hasDisplay: Bool)
    /// The app runs it itself.
    case adopted(pthread_t)
  }
  private let loop = Mutex(Loop.none)

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    startThread(for: nil)
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

  /// Whether the app runs GTK itself.
  var isAdopted: Bool { loop.withLock { if case .adopted = $0 { true } else { false } } }

  private var isOnThread: Bool {
    loop.withLock { loop in
      switch loop {
      case .none, .starting: false
      case .running(let thread, _), .adopted(let thread): pthread_equal(pthread_self(), thread) != 0
      }
    }
  }

  // MARK: The loop

  /// Starts a thread that runs GTK, unless a thread runs it already.
  /// - Returns: whether there is a display.
  func start() async -> Bool {
    await withCheckedContinuation { startThread(for: $0) }
  }

  private func startThread(for waiting: CheckedContinuation<Bool, Never>?) {
    let (isFirst, answer) = loop.withLock { loop -> (Bool, Bool?) in
      switch loop {
      case .none:
        loop = .starting(waiting.map { [$0] } ?? [])
        return (true, nil)
      case .starting(let others):
        if let waiting { loop = .starting(others + [waiting]) }
        return (false, nil)
      case .running(_, let hasDisplay):
        return (false, hasDisplay)
      case .adopted:
        return (false, true)
      }
    }
    if let answer { waiting?.resume(returning: answer) }
    if isFirst { runThread() }
  }

  private func runThread() {
    let thread = Thread { [self] in
      let hasDisplay = gtk_init_check() != 0
      let waiting = loop.withLock { loop -> [CheckedContinuation<Bool, Never>] in
        defer { loop = .running(pthread_self(), hasDisplay: hasDisplay) }
        return if case .starting(let waiting) = loop { waiting } else { [] }
      }
      for one in waiting { one.resume(returning: hasDisplay) }
      // Without a display, too: jobs find out that there is none.
      g_main_loop_run(g_main_loop_new(nil, 0))
    }
    thread.name = "GTK"
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Declares the calling thread to be GTK's: the app runs the loop itself.
  func adopt() {
    loop.withLock { loop in
      guard case .none = loop else {
        preconditionFailure("expected adoptMainLoop() before anything uses the GTKActor; a thread runs GTK already")
      }
      loop = .adopted(pthread_self())
    }
  }
}
