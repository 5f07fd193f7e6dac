package import Foundation

/// The header `Retry-After` of an answer (RFC 9110, section 10.2.3).
package enum RetryAfter {
  /// The seconds from `now` to the time that a header gives, as a number or as a date; nil for another form.
  package static func seconds(_ header: String, now: Date) -> TimeInterval? {
    let text = header.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // A number of any length is a valid header.
      return Double(text)
    }
    return date(text).map { max(0, $0.timeIntervalSince(now)) }
  }

  /// The pause before the next retry: the requested one, but at least the planned one and at most twice that.
  package static func pause(planned: TimeInterval, requested: TimeInterval?) -> TimeInterval {
    min(max(planned, requested ?? planned), 2 * planned)
  }

  /// A date in the form that RFC 9110 prefers: `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
