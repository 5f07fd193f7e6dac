import Foundation
import OnsideAPI
import OnsideVault
import OnsideWallet
import Sodium

/// The vault at the other end of a socket: a line of JSON each way. The test beside answers with its vault in memory.
struct PipeVault: Vault {
  let descriptor: Int32

  /// What is asked; the device's seed stands for its signature.
  struct Call: Codable {
    let name: String
    let enrolment: VaultEnrolmentID
    let seed: WireBytes
    var old: VaultEnrolmentID?
    var bytes: WireBytes?
  }

  /// What is answered: a message, or the name of an error.
  struct Answer: Codable {
    var evaluation: VaultEvaluationMessage?
    var message: VaultMessage?
    var failure: String?
  }

  func enrol(
    _ enrolment: VaultEnrolmentID, replacing old: VaultEnrolmentID?, by device: VaultDeviceKey
  ) throws -> VaultMessage {
    try message("enrol", enrolment: enrolment, device: device, old: old)
  }

  func state(of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try message("state", enrolment: enrolment, device: device)
  }

  func evaluate(
    _ blinded: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey
  ) throws -> VaultEvaluationMessage {
    guard let evaluation = try ask("evaluate", enrolment: enrolment, device: device, bytes: blinded).evaluation else {
      throw WalletError.vaultFault("no evaluation")
    }
    return evaluation
  }

  func seal(_ tagHash: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try message("seal", enrolment: enrolment, device: device, bytes: tagHash)
  }

  func confirm(_ unlockTag: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try message("confirm", enrolment: enrolment, device: device, bytes: unlockTag)
  }

  func destroy(_ enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try message("destroy", enrolment: enrolment, device: device)
  }

  private func message(
    _ name: String, enrolment: VaultEnrolmentID, device: VaultDeviceKey, old: VaultEnrolmentID? = nil,
    bytes: [UInt8]? = nil
  ) throws -> VaultMessage {
    let answer = try ask(name, enrolment: enrolment, device: device, old: old, bytes: bytes)
    guard let message = answer.message else { throw WalletError.vaultFault("no message") }
    return message
  }

  private func ask(
    _ name: String, enrolment: VaultEnrolmentID, device: VaultDeviceKey, old: VaultEnrolmentID? = nil,
    bytes: [UInt8]? = nil
  ) throws -> Answer {
    let seed = device.seed.withBytes { WireBytes(Array($0)) }
    let call = Call(name: name, enrolment: enrolment, seed: seed, old: old, bytes: bytes.map(WireBytes.init))
    try send(try JSONEncoder().encode(call))
    let answer = try JSONDecoder().decode(Answer.self, from: try receive())
    switch answer.failure {
    case nil: return answer
    case "wait": throw WalletError.wait(60)
    case "triesExhausted": throw WalletError.triesExhausted
    case "outdated": throw WalletError.outdated
    default: throw WalletError.vaultUnknown
    }
  }

  private func send(_ line: Data) throws {
    let bytes = Array(line) + [UInt8(ascii: "\n")]
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw WalletError.vaultUnreachable("not sent") }
  }

  private func receive() throws -> Data {
    var line: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while line.last != UInt8(ascii: "\n") {
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { throw WalletError.vaultUnreachable("no answer") }
      line += part.prefix(count)
    }
    return Data(line)
  }
}
