public import Foundation
import Sodium
import TPM

/// Device secrets where they are best kept: sealed by the TPM, in the desktop's Secret Service, or as files.
///
/// New ones go to one place, which is chosen once and then remembered (``DeviceSecretPlace/find(tpm:)``). The file of
/// each says where it is: the 64 bytes themselves, what the TPM sealed, or that the Secret Service has it. So what is
/// in one place is never looked for in another.
public struct DeviceSecrets: DeviceSecretStore {
  private let folder: SecretFolder
  private let place: DeviceSecretPlace
  private let tpm: TPM
  private let keyring: Keyring

  /// - Parameters:
  ///   - folder: one that is not the item's.
  ///   - place: where new ones go.
  ///   - tpm: which TPM, as a TCTI configuration of tpm2-tss.
  public init(folder: URL, place: DeviceSecretPlace, tpm: String = DeviceSecretPlace.hardwareTPM) {
    self.init(folder: folder, place: place, tpm: TPM(tcti: tpm), keyring: Keyring())
  }

  init(folder: URL, place: DeviceSecretPlace, tpm: TPM, keyring: Keyring) {
    self.folder = SecretFolder(folder)
    self.place = place
    self.tpm = tpm
    self.keyring = keyring
  }

  /// As the secret's own file says; for an enrolment without one, where new ones go.
  public func name(of enrolment: [UInt8]) throws -> String { try record(enrolment)?.place.name ?? place.name }

  /// From where its file says it is, and from nowhere else.
  public func withSecret<Result>(
    of enrolment: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    switch try record(enrolment) {
    case nil: nil
    case .plain(let secret)?: try secret.withBytes(body)
    case .sealed(let bytes)?: try WalletError.ofTPM { () throws(TPMError) in try tpm.unseal(bytes) }.withBytes(body)
    case .inKeyring?: try keyring.secret(of: enrolment)?.withBytes(body)
    }
  }

  /// Keeps it at the chosen place; its file says so from then on.
  public func store(_ secret: UnsafeRawBufferPointer, of enrolment: [UInt8]) throws {
    try folder.make()
    switch place {
    case .file: try file(enrolment).write(secret)
    case .tpm:
      let secret = SecretBytes(copying: secret)
      try file(enrolment).write(WalletError.ofTPM { () throws(TPMError) in try tpm.seal(secret) })
    case .keyring:
      // First what says where it is: a secret of which no file tells is never found again.
      try file(enrolment).write(Record.keyringMark)
      try keyring.store(SecretBytes(copying: secret), of: enrolment)
    }
  }

  /// Forgets it at its own place, then the file that says where that is.
  public func remove(_ enrolment: [UInt8]) throws {
    // The secret goes before what says where it is.
    if case .inKeyring? = try? record(enrolment) { try keyring.remove(enrolment) }
    try counterFile(enrolment).remove()
    try file(enrolment).remove()
  }

  /// Forgets every secret whose file is in the folder, also those that no item needs; for a folder of one wallet alone.
  public func removeAll() throws {
    for enrolment in try folder.enrolments() { try remove(enrolment) }
  }

  /// The TPM for what it sealed; nothing else here can count.
  public func counter(of enrolment: [UInt8]) throws -> (any PINCounter)? {
    guard case .sealed? = try record(enrolment) else { return nil }
    return TPMCounter(tpm: tpm, file: counterFile(enrolment))
  }

  private func record(_ enrolment: [UInt8]) throws -> Record? { try file(enrolment).read().map(Record.init) }

  private func file(_ enrolment: [UInt8]) -> DurableFile {
    folder.file("device", of: enrolment, greatestLength: Record.greatestLength)
  }

  private func counterFile(_ enrolment: [UInt8]) -> DurableFile {
    folder.file("pin", of: enrolment, greatestLength: Record.greatestLength)
  }

  /// What a secret's file holds.
  private enum Record {
    case plain(SecretBytes)
    case sealed([UInt8])
    case inKeyring

    static let greatestLength = 4096
    static let keyringMark = Array("ONSK".utf8) + [1]

    init(_ bytes: SecretBytes) {
      if bytes.count == DeviceSecret.length {
        self = .plain(bytes)
      } else {
        let bytes = bytes.withBytes(Array.init)
        self = bytes == Self.keyringMark ? .inKeyring : .sealed(bytes)
      }
    }

    var place: DeviceSecretPlace {
      switch self {
      case .plain: .file
      case .sealed: .tpm
      case .inKeyring: .keyring
      }
    }
  }
}

extension DurableFile {
  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}
