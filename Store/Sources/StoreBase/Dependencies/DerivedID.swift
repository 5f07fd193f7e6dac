package import Crypto
package import Foundation

/// UUIDs of version 7 that are computed from a name, so that a restored or copied database makes the same ones.
package struct DerivedID: Sendable {
  package let key: SymmetricKey

  package init(key: SymmetricKey) {
    self.key = key
  }

  /// The UUID of a name: 48 bits of milliseconds, 12 bits of the ordinal, 62 bits of an HMAC of the name.
  ///
  /// - Parameter ordinal: 0 to 4095, for names with several ids. They grow with it.
  package func uuid7(at date: Date, of name: String, ordinal: Int) -> UUID {
    let time = withUnsafeBytes(of: UInt64(max(0, date.millisecondsSince1970)).bigEndian) { Array($0.dropFirst(2)) }
    let hash = Array(HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: key))
    return UUID(
      uuid: (
        time[0], time[1], time[2], time[3], time[4], time[5],
        0x70 | UInt8(ordinal >> 8 & 0xf), UInt8(ordinal & 0xff),
        0x80 | (hash[0] & 0x3f), hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]
      ))
  }

  /// The first id of a name that is not taken.
  package func firstFree(at date: Date, of name: String, isTaken: (UUID) throws -> Bool) rethrows -> UUID {
    for ordinal in 0..<0xfff {
      let id = uuid7(at: date, of: name, ordinal: ordinal)
      if try !isTaken(id) { return id }
    }
    return uuid7(at: date, of: name, ordinal: 0xfff)
  }
}
