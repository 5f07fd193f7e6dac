import Foundation

extension KeyedDecodingContainer {
  /// Reads an RFC 3339 moment.
  func moment(forKey key: Key) throws -> Date {
    let text = try decode(String.self, forKey: key)
    guard let date = RFC3339.date(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "expected an RFC 3339 moment such as 2025-12-26T10:00:00Z, got \"\(text)\"")
    }
    return date
  }

  /// Reads an RFC 3339 moment; nil for `null` and for a missing field.
  func momentIfPresent(forKey key: Key) throws -> Date? {
    try decodeIfPresent(String.self, forKey: key) == nil ? nil : moment(forKey: key)
  }
}
