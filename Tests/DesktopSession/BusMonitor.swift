import Foundation

/// Sees when a method is called over a session's bus, also when nobody answers.
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
    // A monitor gives up its name, and sees that first.
    try await see("NameLost")
  }

  /// Waits for a call.
  package func called() async throws { try await see("member=\(method)") }

  private func see(_ words: String) async throws {
    let deadline = NamedDeadline("dbus-monitor to see “\(words)”")
    while (try? String(contentsOfFile: seen, encoding: .utf8))?.contains(words) != true { try await deadline.next() }
  }
}
