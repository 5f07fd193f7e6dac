package import Logging
import Synchronization

/// Keeps every line that is logged, at any level.
package final class LogRecorder: Sendable {
  package typealias Line = (level: Logger.Level, text: String)

  private let lines = Mutex<[Line]>([])

  package init() {}

  /// A logger whose lines are kept.
  package var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

  /// All lines.
  package var text: String { lines.withLock { $0.map(\.text).joined(separator: "\n") } }

  /// The lines of a level.
  package func lines(_ level: Logger.Level) -> [String] {
    lines.withLock { $0.filter { $0.level == level }.map(\.text) }
  }

  /// The warnings and everything worse.
  package var warnings: [String] { lines.withLock { $0.filter { $0.level >= .warning }.map(\.text) } }

  /// Removes the lines and returns them.
  package func take() -> [Line] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { recorder.lines.withLock { $0.append((event.level, "\(event.message)")) } }
  }
}
