/// An amount of an asset: whole stroops, of which ten million are one. Never a floating-point number.
public struct Amount: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Ten-millionths, 0 or more.
  public let stroops: Int64

  /// Nil for a negative number.
  public init?(stroops: Int64) {
    guard stroops >= 0 else { return nil }
    self.stroops = stroops
  }

  /// Reads a decimal number with up to seven places after the point, such as `120.1234567`; nil for anything else, and
  /// for what is larger than 922337203685.4775807.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Self.digits(parts[0]), parts[0].count <= 12 else { return nil }
    guard parts[0].count == 1 || parts[0].first != UInt8(ascii: "0") else { return nil }
    var fraction: Int64 = 0
    if parts.count == 2 {
      guard parts[1].count <= 7, let digits = Self.digits(parts[1]) else { return nil }
      fraction = (parts[1].count..<7).reduce(digits) { value, _ in value * 10 }
    }
    let (units, overflows) = whole.multipliedReportingOverflow(by: 10_000_000)
    let (sum, overflowsToo) = units.addingReportingOverflow(fraction)
    guard !overflows, !overflowsToo else { return nil }
    stroops = sum
  }

  /// At most 12 of them, and at least one.
  private static func digits(_ text: some Collection<UInt8>) -> Int64? {
    let zero = UInt8(ascii: "0")
    guard (1...12).contains(text.count), text.allSatisfy({ (zero...zero + 9).contains($0) }) else { return nil }
    return text.reduce(0) { $0 * 10 + Int64($1 - zero) }
  }

  /// As a decimal number without needless zeros.
  public var description: String {
    let (whole, fraction) = stroops.quotientAndRemainder(dividingBy: 10_000_000)
    guard fraction != 0 else { return "\(whole)" }
    let digits = "\(10_000_000 + fraction)".dropFirst()
    return "\(whole).\(digits[...(digits.lastIndex { $0 != "0" } ?? digits.startIndex)])"
  }

  /// By worth.
  public static func < (one: Amount, other: Amount) -> Bool { one.stroops < other.stroops }
}
