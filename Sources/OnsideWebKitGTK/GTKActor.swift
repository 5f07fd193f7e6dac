/// Where web views live: the thread that runs GTK. It is a thread of its own, or the app's.
///
/// GTK must be used on one thread only, and on Linux the main actor has no thread that it could count on: `async` main
/// gives the process's first thread up. So views and windows are isolated to this actor instead.
///
/// An app without a GTK loop of its own needs nothing: the thread starts when the actor is used first. An app that runs
/// `g_main_loop_run` or `g_application_run` itself calls ``adoptMainLoop()`` before all else.
@globalActor
public actor GTKActor {
  /// The actor.
  public static let shared = GTKActor()

  /// Runs everything on GTK's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { GTKExecutor.shared.asUnownedSerialExecutor() }

  /// Runs `body` at once: for callbacks of GTK, which come on its thread. Elsewhere it stops the program.
  public static func assumeIsolated<Value>(_ body: @GTKActor () throws -> Value) rethrows -> Value {
    shared.preconditionIsolated()
    return try withoutActuallyEscaping(body) { try unsafeBitCast($0, to: (() throws -> Value).self)() }
  }

  /// Returns when GTK runs, on a thread of its own unless the app runs it.
  /// - Throws: ``WebViewError/noDisplay`` when there is no display to show anything on.
  public static func start() async throws(WebViewError) {
    guard await GTKExecutor.shared.start() else { throw .noDisplay }
  }
}
