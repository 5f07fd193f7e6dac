import CSodium

/// The bytes of a secret: locked in memory, between guard pages, out of core files, and overwritten when they are
/// released. They are written once, while they are made.
package final class SecretBytes: @unchecked Sendable {
  package let count: Int
  private let start: UnsafeMutableRawPointer

  /// Makes `count` zero bytes, which `body` fills. An error of `body` frees them.
  package init(count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    precondition(Sodium.isReady && count >= 0)
    // Without locked memory the program stops: secrets on the heap would outlive their use.
    guard let start = sodium_malloc(max(count, 1)) else { preconditionFailure("sodium_malloc: no locked memory left") }
    self.count = count
    self.start = start
    sodium_memzero(start, max(count, 1))
    try body(UnsafeMutableRawBufferPointer(start: start, count: count))
    sodium_mprotect_readonly(start)
  }

  /// Copies bytes; the caller overwrites the original.
  package convenience init(copying bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Fresh random bytes.
  package convenience init(random count: Int, from source: RandomBytes = .system) {
    self.init(count: count, source.fill)
  }

  /// Parts one after the other, then zeros up to `count`; without a count, as many as they are.
  package convenience init(joining parts: [SecretBytes], count: Int? = nil) {
    let sum = parts.reduce(0) { $0 + $1.count }
    self.init(count: max(count ?? sum, sum)) { target in
      var offset = 0
      for part in parts {
        part.withBytes { UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyBytes(from: $0) }
        offset += part.count
      }
    }
  }

  deinit { sodium_free(start) }

  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// For C, which takes a pointer to the first; there is one even when there is nothing to read.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result {
    try body(UnsafePointer(start.assumingMemoryBound(to: UInt8.self)))
  }

  /// Makes `count` bytes, which C code fills.
  convenience init(count: Int, filledBy body: (UnsafeMutablePointer<UInt8>) throws -> Void) rethrows {
    try self.init(count: count) { target in
      // The memory is never empty; see above.
      if let start = target.baseAddress { try body(start.assumingMemoryBound(to: UInt8.self)) }
    }
  }

  /// A part of them, as secret as they are.
  package func slice(_ range: Range<Int>) -> SecretBytes {
    SecretBytes(count: range.count) { target in
      withBytes { target.copyBytes(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }

  /// Compares in a time that depends only on the lengths.
  package func isEqual(to other: SecretBytes) -> Bool {
    count == other.count && sodium_memcmp(start, other.start, count) == 0
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "redacted" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
