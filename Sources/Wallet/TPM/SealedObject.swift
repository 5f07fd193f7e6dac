import CTPM
import Sodium

/// A sealed object as it lies on the disk: magic, version, the name of the key that it is sealed under, the two parts
/// that the TPM made, each with its length, and a SHA-256 that tells accidents from another TPM.
struct SealedObject {
  static let magic = Array("ONST".utf8) + [1]

  let parent: [UInt8]
  let sealed: ctpm_sealed

  init(parent: [UInt8], _ sealed: ctpm_sealed) {
    self.parent = parent
    self.sealed = sealed
  }

  var encoded: [UInt8] {
    let bytes =
      Self.magic + parent + lengthAndBytes(sealed.public_part, count: sealed.public_size)
      + lengthAndBytes(sealed.private_part, count: sealed.private_size)
    return bytes + Hash.sha256(bytes)
  }

  init?(decoding bytes: [UInt8]) {
    let body = Array(bytes.dropLast(32))
    guard bytes.count > 32, Hash.sha256(body) == Array(bytes.suffix(32)), body.starts(with: Self.magic) else {
      return nil
    }
    var rest = body.dropFirst(Self.magic.count)
    parent = Array(rest.prefix(CTPM_NAME))
    rest = rest.dropFirst(parent.count)
    var sealed = ctpm_sealed()
    guard let first = Self.take(&rest), let second = Self.take(&rest), rest.isEmpty else { return nil }
    (sealed.public_size, sealed.private_size) = (first.count, second.count)
    withUnsafeMutableBytes(of: &sealed.public_part) { $0.copyBytes(from: first) }
    withUnsafeMutableBytes(of: &sealed.private_part) { $0.copyBytes(from: second) }
    self.sealed = sealed
  }

  /// A part with its length in front; nil for what has no room.
  private static func take(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let part = rest.dropFirst(2).prefix(length)
    guard rest.count >= 2, part.count == length, length <= CTPM_PART_MAX else { return nil }
    rest = rest.dropFirst(2 + length)
    return part
  }

  private func lengthAndBytes<Part>(_ part: Part, count: Int) -> [UInt8] {
    [UInt8(count >> 8), UInt8(count & 0xff)] + withUnsafeBytes(of: part) { Array($0.prefix(count)) }
  }
}
