public import Foundation
import OnsideAPI

/// Randomness, as the store is given it.
public protocol RandomSource: Sendable {
  /// Unpredictable bytes.
  func bytes(_ count: Int) -> [UInt8]
  /// A UUID of version 7 (RFC 9562), greater than every earlier one of this source.
  func uuid7(at date: Date) -> UUID
}

extension RandomSource {
  /// An unguessable name for an address or a cookie: base64url of so many bytes (default 16: 128 bits).
  public func token(bytes count: Int = 16) -> String { Base64URL.encode(bytes(count)) }
}

/// Makes UUIDs of version 7 that grow: milliseconds, then a counter in the 12 bits after them (RFC 9562, 6.2 method 1).
public struct UUID7Generator: Sendable {
  private var milliseconds: UInt64 = 0
  private var counter: UInt16 = 0

  /// A generator that has made nothing yet.
  public init() {}

  /// The next UUID; `random` is ten bytes. A clock that goes back does not make the next one smaller.
  public mutating func next(at date: Date, random: [UInt8]) -> UUID {
    let now = UInt64(max(0, date.millisecondsSince1970))
    if now > milliseconds {
      milliseconds = now
      counter = (UInt16(random[0]) << 8 | UInt16(random[1])) & 0x7ff
    } else if counter < 0xfff {
      counter += 1
    } else {
      milliseconds += 1
      counter = 0
    }
    let time = withUnsafeBytes(of: milliseconds.bigEndian) { Array($0.dropFirst(2)) }
    return UUID(
      uuid: (
        time[0], time[1], time[2], time[3], time[4], time[5],
        0x70 | UInt8(counter >> 8), UInt8(counter & 0xff),
        0x80 | (random[2] & 0x3f), random[3], random[4], random[5], random[6], random[7], random[8], random[9]
      ))
  }
}
