public import Logging
import Synchronization

/// Keeps every line that is logged, at any level.
public final class LogRecorder: Sendable {
  private let events = Mutex<[(level: Logger.Level, message: String, metadata: Logger.Metadata)]>([])

  /// An empty one.
  public init() {}

  /// A logger whose lines are kept.
  public var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

  /// All lines: the level, the message and the metadata.
  public var text: String {
    events.withLock { $0.map { "\($0.level) \($0.message) \($0.metadata)\n" }.joined() }
  }

  /// The messages of the warnings and of everything worse.
  public var warnings: [String] {
    events.withLock { $0.filter { $0.level >= .warning }.map(\.message) }
  }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
      recorder.events.withLock { $0.append((event.level, "\(event.message)", metadata)) }
    }
  }
}
