import Foundation
public import Logging

/// Writes log messages as JSON, one object a line.
public struct JSONLineLog: LogHandler {
  /// The least important messages that are written.
  public var logLevel: Logger.Level = .info
  /// What is added to every message.
  public var metadata: Logger.Metadata = [:]
  private let label: String
  private let clock: any StoreClock
  private let write: @Sendable (String) -> Void

  /// A log with a name; `write` gets each line with its end.
  public init(label: String, clock: any StoreClock, write: @escaping @Sendable (String) -> Void) {
    self.label = label
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
    var fields: [String: String] = [:]
    for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) { fields[key] = "\(value)" }
    fields["time"] = clock.now().ISO8601Format()
    fields["level"] = event.level.rawValue
    fields["logger"] = label
    fields["message"] = event.message.description
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A dictionary of texts always encodes.
    guard let line = try? encoder.encode(fields) else { return }
    write(String(decoding: line, as: UTF8.self) + "\n")
  }
}
