/// The number of a receipt: those of a legal entity and year are 1, 2, 3… without a gap, as tax offices ask.
package struct ReceiptNumber: Sendable, Hashable, CustomStringConvertible {
  /// The short name of the legal entity that sold.
  package let entity: String
  /// The year of the sale, in UTC.
  package let year: Int64
  /// Counts from 1.
  package let number: Int64

  /// `R-2026-000123`.
  package var description: String {
    let digits = String(number)
    return "\(entity)-\(year)-\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits)"
  }
}
