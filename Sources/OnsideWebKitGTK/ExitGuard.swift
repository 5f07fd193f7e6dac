import Foundation

/// Ends the process before WebKit's exit handlers run. They shut WebKit down on the thread that exits, and raise a
/// signal when that is not GTK's: with a GTK thread of our own it never is. An app that runs GTK itself exits without
/// this.
@GTKActor
enum ExitGuard {
  private static var count = 0
  /// WebKit registers what it does at exit with the first views.
  private static let limit = 16

  /// Puts the guard before all that has been registered so far. What is registered last runs first.
  static func renew() {
    guard !GTKExecutor.shared.isAdopted, count < limit else { return }
    count += 1
    on_exit(endProcess, nil)
  }
}

private func endProcess(_ status: Int32, _: UnsafeMutableRawPointer?) {
  fflush(nil)
  _exit(status)
}
