import Sodium

/// The stored item, as bytes of fixed lengths: a header, one slot, or two while a PIN is being changed, and a checksum.
///
/// The newest slot is the first. The checksum (SHA-256) detects accidental damage before a PIN is tried. Forgery is
/// detected by the seal of each slot, which only this device can make.
package struct WalletItem: Sendable, Hashable {
  package static let magic = Array("ONSW".utf8)
  package static let version: UInt8 = 1
  /// With two slots.
  package static let greatestLength = headerLength + 2 * Slot.length + checksumLength
  static let headerLength = 8
  static let checksumLength = 32

  package var slots: [Slot]

  package init(slots: [Slot]) { self.slots = slots }

  package var encoded: [UInt8] {
    var bytes = ByteWriter()
    bytes.write(Self.magic)
    bytes.write(Self.version)
    bytes.write(UInt8(slots.count))
    bytes.write(UInt16(0))
    for slot in slots { bytes.write(slot.encoded) }
    bytes.write(Hash.sha256(bytes.bytes))
    return bytes.bytes
  }

  /// Throws ``WalletError/Kind/damaged`` for anything that was not written by ``encoded``.
  package init(decoding bytes: [UInt8]) throws(WalletError) {
    guard bytes.count >= Self.headerLength + Self.checksumLength, bytes.prefix(4) == Self.magic[...] else {
      throw .damaged("something else of \(bytes.count) bytes")
    }
    let body = Array(bytes.dropLast(Self.checksumLength))
    guard Hash.sha256(body) == Array(bytes.suffix(Self.checksumLength)) else { throw .damaged("a changed one") }
    var reader = ByteReader(Array(body.dropFirst(4)))
    guard reader.byte() == Self.version else { throw .damaged("one of a version unknown here") }
    guard let count = reader.byte(), 1...2 ~= count, reader.number(UInt16.self) == 0,
      body.count == Self.headerLength + Int(count) * Slot.length
    else { throw .damaged("one of another length") }
    slots = []
    for _ in 0..<count { slots.append(try Slot(decoding: &reader)) }
    guard Set(slots.map(\.publicKey)).count == 1, Set(slots.map(\.enrolment)).count == slots.count else {
      throw .damaged("slots that do not belong together")
    }
  }
}
