public import Foundation

/// Moments as the wire has them: RFC 3339 in UTC with whole seconds, `2025-12-26T10:00:00Z`.
public enum RFC3339 {
  /// The text of a moment; parts of a second are left out.
  public static func text(_ date: Date) -> String {
    Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(wholeSeconds)
  }

  /// The moment of a text with any offset, with or without parts of a second; nil when it is no such text.
  public static func date(_ text: String) -> Date? {
    (try? wholeSeconds.parse(text)) ?? (try? partsOfSeconds.parse(text))
  }

  private static let wholeSeconds = Date.ISO8601FormatStyle(timeZone: .gmt)
  private static let partsOfSeconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
}
