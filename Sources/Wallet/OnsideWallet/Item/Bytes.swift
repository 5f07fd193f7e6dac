/// Writes numbers and bytes one after the other, big-endian.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ more: [UInt8]) { bytes += more }

  mutating func write(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
}

/// Reads what ``ByteWriter`` writes; nil at the end.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func byte() -> UInt8? { bytes(1)?.first }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    bytes(MemoryLayout<Number>.size)?.reduce(0) { $0 << 8 | Number($1) }
  }
}
