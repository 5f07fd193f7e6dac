import OnsideAPI
import OnsideVault
import Sodium

/// The vault, as one enrolment of one device sees it.
struct VaultSeat {
  let vault: any Vault
  let enrolment: VaultEnrolmentID
  let device: VaultDeviceKey

  init(_ vault: any Vault, enrolment: [UInt8], device: DeviceSecret) throws {
    guard let id = VaultEnrolmentID(enrolment) else { throw WalletError.damaged("an enrolment of another length") }
    self.vault = vault
    self.enrolment = id
    self.device = device.key
  }

  /// The vault's key for a new enrolment, to be pinned.
  func enrol(replacing old: [UInt8]?) throws -> [UInt8] {
    try vault.enrol(enrolment, replacing: old.flatMap { VaultEnrolmentID($0) }, by: device).publicKey.bytes
  }

  /// What came of a try.
  struct Answer {
    /// y.
    let output: SecretBytes
    /// The enrolment has never been confirmed.
    let isUnconfirmed: Bool
    /// The wallet has to enrol anew.
    let enrolsAnew: Bool
    /// How many more tries there are, should this one have been wrong.
    let tries: WrongPINs.Tries
  }

  /// One try.
  func evaluate(_ input: SecretBytes, publicKey: [UInt8]) throws -> Answer {
    guard let blinded = BlindedInput(input) else { throw WalletError.damaged("a PIN whose hash is nothing") }
    let answer = try vault.evaluate(blinded.element, of: enrolment, by: device)
    do {
      let evaluation = OPRFEvaluation(element: answer.element.bytes, proof: answer.proof.bytes)
      return Answer(
        output: try blinded.finalize(evaluation, publicKey: publicKey),
        isUnconfirmed: [.open, .sealed].contains(answer.vault.state), enrolsAnew: answer.vault.enrolsAnew,
        tries: (answer.vault.triesRemaining, answer.vault.retryAfter))
    } catch {
      throw WalletError.vaultFault("\(error)")
    }
  }

  func seal(_ tag: SecretBytes) throws {
    _ = try vault.seal(Hash.sha256(tag.withBytes(Array.init)), of: enrolment, by: device)
  }

  func confirm(_ tag: SecretBytes) throws {
    _ = try vault.confirm(tag.withBytes(Array.init), of: enrolment, by: device)
  }

  func destroy() throws { _ = try vault.destroy(enrolment, by: device) }

  var state: VaultMessage { get throws { try vault.state(of: enrolment, by: device) } }
}
