import Foundation

/// Watches a session's bus for calls of a method, also for calls without an answer.
package final class BusMonitor: Sendable {
  private let method: String
  private let seen: String
  private let monitor: ChildProgram

  /// Returns once it listens.
  package init(of method: String, in session: DesktopSession) async throws {
    self.method = method
    seen = session.folder.appending(path: UUID().uuidString).path(percentEncoded: false)
    monitor = try ChildProgram(
      ["dbus-monitor", "--session", "type='method_call',member='\(method)'"], environment: session.environment,
      output: seen)
    // A monitor releases its name; that is the first signal it receives.
    try await see("NameLost")
  }

  /// Waits for a call.
  package func called() async throws { try await see("member=\(method)") }

  private func see(_ words: String) async throws {
    let deadline = NamedDeadline("dbus-monitor to see “\(words)”")
    while (try? String(contentsOfFile: seen, encoding: .utf8))?.contains(words) != true { try await deadline.next() }
  }
}
