import Foundation
import OnsideAPI
import OnsideVault
import Testing

/// Records to begin with.
enum Sample {
  static let now = Date(timeIntervalSince1970: 1_800_000_000)
  static let device = VaultDeviceKey()
  static let tag = [UInt8](repeating: 5, count: 32)
  /// SHA-256 of `tag`.
  static let tagHash = bytes("f849d67325facf04177bc663b2dc544051831c589ef581d412f2eba44834e77c")

  static func open(replacing old: VaultRecord? = nil, _ id: UInt8 = 1) throws -> VaultRecord {
    let key = try #require(VaultKey(seed: Array(repeating: id, count: 32)))
    let enrolment = try #require(VaultEnrolmentID(Array(repeating: id, count: 16)))
    return try #require(
      VaultRecord(enrolment, deviceKey: device.publicKey, key: key, replacing: old, at: now))
  }

  static func sealed(replacing old: VaultRecord? = nil) throws -> VaultRecord {
    var record = try open(replacing: old, old == nil ? 1 : 2)
    _ = try record.handle(.seal(tagHash: tagHash), at: now)
    return record
  }

  static func confirmed() throws -> VaultRecord {
    var record = try sealed()
    _ = try record.handle(.confirm(tag: tag), at: now)
    return record
  }

  static func after(_ event: VaultEvent) throws -> VaultRecord {
    var record = try confirmed()
    _ = try record.handle(event, at: now)
    return record
  }
}
