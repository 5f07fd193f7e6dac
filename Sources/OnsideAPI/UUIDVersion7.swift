public import Foundation

extension UUID {
  /// A UUID of version 7, RFC 9562 section 5.7: the time in front, so that ids made later sort later, which keeps
  /// database indexes dense.
  /// - Parameters:
  ///   - date: the time it is made.
  ///   - random: at least ten random bytes; missing ones count as zero.
  public static func version7(at date: Date, random: [UInt8]) -> UUID {
    let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
    var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(40 - 8 * $0)) }
    bytes += (random + [UInt8](repeating: 0, count: 10)).prefix(10)
    bytes[6] = bytes[6] & 0x0F | 0x70
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// A UUID of version 8, RFC 9562 section 5.8: the first 16 bytes of a digest, except for the six bits of the version
  /// and the variant.
  package static func version8(_ digest: some Sequence<UInt8>) -> UUID {
    var bytes = Array(digest.prefix(16)) + [UInt8](repeating: 0, count: 16)
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
