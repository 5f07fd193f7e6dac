public import OnsideAPI
public import OnsideVault

/// Who counts the tries, and holds the other half of the key: what the wallet asks of it. Calls block until there is an
/// answer or none can be expected; each is signed by the device.
///
/// What fails throws ``WalletError/Kind/wait``, ``WalletError/Kind/triesExhausted``, ``WalletError/Kind/outdated``,
/// ``WalletError/Kind/vaultUnknown``, ``WalletError/Kind/vaultUnreachable`` or ``WalletError/Kind/vaultFault``.
public protocol Vault: Sendable {
  /// Enrols a PIN; sent again, it answers the same.
  func enrol(
    _ enrolment: VaultEnrolmentID, replacing old: VaultEnrolmentID?, by device: VaultDeviceKey
  ) throws -> VaultMessage
  /// How an enrolment stands.
  func state(of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage
  /// One try: counted durably, then answered.
  func evaluate(
    _ blinded: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey
  ) throws -> VaultEvaluationMessage
  /// Tells a new enrolment what its unlock tag will be compared with: SHA-256 of it.
  func seal(_ tagHash: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage
  /// Proves that the wallet was opened. The first time it puts the enrolment into use, in the place of an older one.
  func confirm(_ unlockTag: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage
  /// Deletes the vault's half.
  func destroy(_ enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage
}
