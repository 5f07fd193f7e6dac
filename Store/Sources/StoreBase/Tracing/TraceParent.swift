/// A span by its ids, as the header `traceparent` names it (W3C Trace Context, version 00).
struct TraceParent: Sendable, Hashable {
  let traceID: TraceID
  let spanID: UInt64
  /// Whether the caller records its own part of the trace.
  let isSampled: Bool

  /// The span that a header names; nil for a header that is not well formed, which is then ignored.
  init?(header: String) {
    let fields = header.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard fields.count >= 4, let version = UInt64(hexadecimal: fields[0], digits: 2), version != 0xff,
      // A later version may add fields.
      version > 0 || fields.count == 4,
      fields[1].count == 32, let high = UInt64(hexadecimal: fields[1].prefix(16), digits: 16),
      let low = UInt64(hexadecimal: fields[1].suffix(16), digits: 16), high != 0 || low != 0,
      let spanID = UInt64(hexadecimal: fields[2], digits: 16), spanID != 0,
      let flags = UInt64(hexadecimal: fields[3], digits: 2)
    else { return nil }
    traceID = TraceID(high: high, low: low)
    self.spanID = spanID
    isSampled = flags & 1 == 1
  }
}

/// The id of a trace: 16 bytes.
struct TraceID: Sendable, Hashable {
  let high: UInt64
  let low: UInt64

  /// 32 digits.
  var hexadecimal: String { high.hexadecimal + low.hexadecimal }
}

extension UInt64 {
  /// A number of exactly so many hexadecimal digits in lower case.
  fileprivate init?(hexadecimal text: some Collection<UInt8>, digits: Int) {
    guard text.count == digits else { return nil }
    var number: UInt64 = 0
    for digit in text {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    self = number
  }

  /// 16 digits.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
