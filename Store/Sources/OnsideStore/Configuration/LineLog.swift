import Foundation
public import Logging
public import StoreBase

/// Writes log messages one a line, as text or as JSON. Values that are added to a logger are put into words only when a
/// line is written: every request adds one, and few write a line.
public struct LineLog: LogHandler {
  /// The least important messages that are written.
  public var logLevel: Logger.Level = .info
  /// What is added to every message.
  public var metadata: Logger.Metadata = [:]
  private let label: String
  private let format: LogFormat
  private let clock: any StoreClock
  private let write: @Sendable (String) -> Void

  /// A log with a name; `write` gets each line with its end.
  public init(label: String, format: LogFormat, clock: any StoreClock, write: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.format = format
    self.clock = clock
    self.write = write
  }

  /// One value of what is added to every message.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a message.
  public func log(event: LogEvent) {
    var fields = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }).mapValues { "\($0)" }
    // Not the error's text: it may hold what the user sent.
    if let error = event.error { fields["error"] = error.loggedName }
    switch format {
    case .text: write(text(event, with: fields))
    case .json: write(json(event, with: fields))
    }
  }

  private func text(_ event: LogEvent, with fields: [String: String]) -> String {
    let pairs = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    return "\(clock.now().ISO8601Format()) \(event.level) \(label):\(pairs) [\(event.source)] \(event.message)\n"
  }

  private func json(_ event: LogEvent, with fields: [String: String]) -> String {
    var fields = fields
    fields["time"] = clock.now().ISO8601Format()
    fields["level"] = event.level.rawValue
    fields["logger"] = label
    fields["message"] = event.message.description
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A dictionary of texts always encodes.
    guard let line = try? encoder.encode(fields) else { return "" }
    return String(decoding: line, as: UTF8.self) + "\n"
  }
}
