/// Writes XDR (RFC 4506).
struct XDRWriter {
  private(set) var bytes: [UInt8] = []

  mutating func opaque(_ value: [UInt8]) {
    bytes += value
    bytes += Array(repeating: 0, count: (4 - value.count % 4) % 4)
  }

  mutating func variable(_ value: [UInt8]) {
    uint32(UInt32(value.count))
    opaque(value)
  }

  mutating func uint32(_ value: UInt32) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
  mutating func uint64(_ value: UInt64) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
  mutating func int64(_ value: Int64) { uint64(UInt64(bitPattern: value)) }

  mutating func optional<Value>(_ value: Value?, _ write: (inout XDRWriter, Value) -> Void) {
    uint32(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }

  mutating func array<Element>(_ elements: [Element], _ write: (inout XDRWriter, Element) -> Void) {
    uint32(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }
}
