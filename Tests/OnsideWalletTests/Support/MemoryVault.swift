import Foundation
import OnsideAPI
import OnsideVault
import OnsideWallet
import Sodium
import Synchronization

/// A vault in memory with the real one's rules (`VaultRecord`) and a clock to move. Its network loses what a test says.
final class MemoryVault: Vault {
  struct Faults {
    /// Calls that do not arrive, and calls whose answer does not.
    var lost: Set<String> = []
    var answersLost: Set<String> = []
    /// After so many more calls none arrives.
    var arriving: Int?
    /// Evaluates with another key than it says.
    var lies = false
  }

  private let records = Mutex<[VaultEnrolmentID: VaultRecord]>([:])
  private let clock = Mutex(Date(timeIntervalSince1970: 1_000_000))
  let faults = Mutex(Faults())
  let calls = Mutex<[String]>([])

  func advance(by seconds: TimeInterval) { clock.withLock { $0 += seconds } }

  /// How many evaluations there were.
  var evaluations: Int { calls.withLock { $0.count { $0 == "evaluate" } } }

  /// What a backup of the vault's database would do.
  func restore() {
    records.withLock { for id in $0.keys { _ = try? $0[id]?.handle(.restore, at: .distantPast) } }
  }

  var states: [VaultState] { records.withLock { $0.values.map(\.state) } }

  func enrol(
    _ enrolment: VaultEnrolmentID, replacing old: VaultEnrolmentID?, by device: VaultDeviceKey
  ) throws -> VaultMessage {
    try call("enrol") {
      let now = clock.withLock { $0 }
      return try records.withLock { records in
        guard let key = VaultKey(seed: RandomBytes.system.bytes(32)),
          let record = VaultRecord(
            enrolment, deviceKey: device.publicKey, key: key, replacing: old.flatMap { records[$0] }, at: now)
        else { throw WalletError.vaultFault("no key") }
        if records[enrolment] == nil {
          if let old {
            guard records[old]?.state != .replaced else { throw WalletError.outdated }
            records = records.filter { $0.value.replaces != old || ![.open, .sealed].contains($0.value.state) }
          }
          records[enrolment] = record
        }
        return record.message(at: now)
      }
    }
  }

  func state(of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try call("state") { try change(enrolment, device: device).1 }
  }

  func evaluate(
    _ blinded: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey
  ) throws -> VaultEvaluationMessage {
    try call("evaluate") {
      let (effect, message) = try change(enrolment, device: device, event: .evaluate)
      guard case .evaluate(let key) = effect, let other = VaultKey(seed: RandomBytes.system.bytes(32)) else {
        throw WalletError.vaultFault("no evaluation")
      }
      let used = faults.withLock { $0.lies } ? other : key
      let evaluation = try used.evaluate(blinded, publicKey: message.publicKey.bytes)
      return VaultEvaluationMessage(
        element: WireBytes(evaluation.element), proof: WireBytes(evaluation.proof), vault: message)
    }
  }

  func seal(_ tagHash: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try call("seal") { try change(enrolment, device: device, event: .seal(tagHash: tagHash)).1 }
  }

  func confirm(_ unlockTag: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try call("confirm") {
      let message = try change(enrolment, device: device, event: .confirm(tag: unlockTag)).1
      if let old = records.withLock({ $0[enrolment]?.replaces }) {
        _ = try? change(old, device: device, event: .replace)
      }
      return message
    }
  }

  func destroy(_ enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try call("destroy") { try change(enrolment, device: device, event: .destroy).1 }
  }

  private func call<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    calls.withLock { $0.append(name) }
    let isCutOff = faults.withLock { faults in
      guard let arriving = faults.arriving else { return false }
      faults.arriving = max(0, arriving - 1)
      return arriving == 0
    }
    if isCutOff { throw WalletError.vaultUnreachable("the network is gone") }
    if faults.withLock({ $0.lost.contains(name) }) { throw WalletError.vaultUnreachable("lost on the way") }
    let result = try body()
    if faults.withLock({ $0.answersLost.contains(name) }) { throw WalletError.vaultUnreachable("answer lost") }
    return result
  }

  private func change(
    _ enrolment: VaultEnrolmentID, device: VaultDeviceKey, event: VaultEvent? = nil
  ) throws -> (VaultEffect, VaultMessage) {
    let now = clock.withLock { $0 }
    return try records.withLock { records in
      guard var record = records[enrolment], record.deviceKey == device.publicKey, !record.isExpired(at: now) else {
        throw WalletError.vaultUnknown
      }
      do {
        let effect = if let event { try record.handle(event, at: now) } else { VaultEffect.answer }
        records[enrolment] = record
        return (effect, record.message(at: now))
      } catch let error as VaultRefusal {
        throw WalletError(refusal: error.code, record: record.message(at: now), detail: error.description)
      }
    }
  }
}
