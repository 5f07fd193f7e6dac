/// A network address, or the addresses that begin with the same bits: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`.
public struct NetworkRange: Sendable, Hashable, CustomStringConvertible {
  /// The notation as it was read.
  public let description: String
  private let bytes: [UInt8]
  private let bits: Int

  /// Reads an address, or an address and its number of fixed bits (RFC 4632, section 3.1; RFC 4291, section 2.3); nil
  /// for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let bytes = parts.first.flatMap({ IPAddress($0) })?.bytes,
      let bits = parts.count == 1 ? bytes.count * 8 : Int(parts[1]), 0...bytes.count * 8 ~= bits
    else { return nil }
    (description, self.bytes, self.bits) = (text, bytes, bits)
  }

  /// Whether an address belongs to it.
  package func contains(_ address: IPAddress) -> Bool {
    let other = address.bytes
    guard other.count == bytes.count else { return false }
    return bytes.indices.allSatisfy { index in
      let fixed = min(max(bits - index * 8, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xff00 >> fixed)
      return bytes[index] & mask == other[index] & mask
    }
  }
}
