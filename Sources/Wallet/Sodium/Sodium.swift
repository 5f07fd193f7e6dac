import CSodium

/// What libsodium says of itself.
package enum Sodium {
  /// The library is started once per process; any thread may ask first.
  package static let isReady: Bool = sodium_init() >= 0

  /// Compares public or hashed bytes in a time that tells nothing but the lengths.
  package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && sodium_memcmp(one, other, one.count) == 0
  }
}

/// Where random bytes come from; a run that is to be repeated passes its own.
package struct RandomBytes: Sendable {
  package let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  package init(_ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.fill = fill }

  /// The kernel's.
  package static let system = RandomBytes { bytes in
    if let start = bytes.baseAddress, Sodium.isReady { randombytes_buf(start, bytes.count) }
  }

  package func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      fill(UnsafeMutableRawBufferPointer(buffer))
      filled = count
    }
  }
}
