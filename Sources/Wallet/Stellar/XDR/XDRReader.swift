/// Reads XDR (RFC 4506) as one encoder would have written it: padding is zero, lengths have limits, nothing is left
/// over.
struct XDRReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func opaque(_ count: Int, what: String) throws(XDRError) -> [UInt8] {
    let padded = (count + 3) / 4 * 4
    guard bytes.count - position >= padded else { throw XDRError("The bytes end within \(what).") }
    let value = Array(bytes[position..<(position + count)])
    guard bytes[(position + count)..<(position + padded)].allSatisfy({ $0 == 0 }) else {
      throw XDRError("The padding after \(what) is not zero.")
    }
    position += padded
    return value
  }

  mutating func variable(atMost limit: Int, _ what: String) throws(XDRError) -> [UInt8] {
    let count = try uint32(what)
    guard count <= limit else { throw XDRError("Expected at most \(limit) bytes of \(what), got \(count).") }
    return try opaque(Int(count), what: what)
  }

  mutating func uint32(_ what: String) throws(XDRError) -> UInt32 {
    try opaque(4, what: what).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func uint64(_ what: String) throws(XDRError) -> UInt64 {
    try opaque(8, what: what).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Negative numbers have no place in a transaction.
  mutating func positive(_ what: String) throws(XDRError) -> Int64 {
    let value = Int64(bitPattern: try uint64(what))
    guard value >= 0 else { throw XDRError("Expected \(what) of 0 or more, got \(value).") }
    return value
  }

  mutating func optional<Value>(
    _ what: String, _ read: (inout XDRReader) throws(XDRError) -> Value
  ) throws(XDRError) -> Value? {
    switch try uint32(what) {
    case 0: nil
    case 1: try read(&self)
    case let flag: throw XDRError("Expected 0 or 1 before \(what), got \(flag).")
    }
  }

  mutating func array<Element>(
    _ count: ClosedRange<UInt32>, what: String, _ read: (inout XDRReader) throws(XDRError) -> Element
  ) throws(XDRError) -> [Element] {
    let found = try uint32(what)
    guard count.contains(found) else {
      throw XDRError("Expected \(count.lowerBound) to \(count.upperBound) \(what), got \(found).")
    }
    var elements: [Element] = []
    for _ in 0..<found { elements.append(try read(&self)) }
    return elements
  }

  /// Unions that have only one, empty, arm so far.
  mutating func extensionPoint() throws(XDRError) {
    let version = try uint32("an extension")
    guard version == 0 else { throw XDRError("Extension \(version) of the transaction is not known.") }
  }

  func finish() throws(XDRError) {
    guard position == bytes.count else { throw XDRError("\(bytes.count - position) bytes are left over.") }
  }
}
