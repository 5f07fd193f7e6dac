import Crypto
import StoreBase

/// How many rows a table has, and a checksum over all their values, whatever the order of the rows. Two tables with one
/// digest have the same rows.
struct TableDigest: Equatable {
  private(set) var rows = 0
  private var sum: UInt64 = 0
  private var bytes: [UInt8] = []

  /// One more row; its values in the order of the columns.
  mutating func add(_ values: [SQLValue]) {
    bytes.removeAll(keepingCapacity: true)
    for value in values { append(value) }
    let word = SHA256.hash(data: bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    sum &+= word
    rows += 1
  }

  static func == (one: TableDigest, other: TableDigest) -> Bool { one.rows == other.rows && one.sum == other.sum }

  /// The kind of the value, its length and its bytes.
  private mutating func append(_ value: SQLValue) {
    switch value {
    case .null: bytes.append(0)
    case .integer(let number): append(kind: 1, withUnsafeBytes(of: number.bigEndian) { Array($0) })
    case .text(let text): append(kind: 2, Array(text.utf8))
    case .blob(let content): append(kind: 3, content)
    }
  }

  private mutating func append(kind: UInt8, _ content: [UInt8]) {
    bytes.append(kind)
    withUnsafeBytes(of: UInt64(content.count).bigEndian) { bytes += $0 }
    bytes += content
  }
}
