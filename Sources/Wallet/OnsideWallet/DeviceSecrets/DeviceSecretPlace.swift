import TPM

/// Where device secrets can be kept, the best first.
public enum DeviceSecretPlace: String, Sendable, Codable, CaseIterable {
  /// Sealed by the device's TPM 2.0: a copy of the disk opens nothing elsewhere, and without a vault the TPM counts.
  case tpm
  /// In the desktop's Secret Service: encrypted while the user is logged out.
  case keyring
  /// A file of mode 0600, which a copy of the disk contains.
  case file

  /// The kernel's resource manager, as a TCTI configuration of tpm2-tss.
  public static let hardwareTPM = TPM.hardware

  /// The name, for users.
  public var name: String {
    switch self {
    case .tpm: "TPM 2.0"
    case .keyring: "Secret Service"
    case .file: "file"
    }
  }

  /// Whether secrets can be kept there now.
  /// - Throws: ``WalletError``, which says why not.
  public func check(tpm: String = hardwareTPM) throws(WalletError) {
    switch self {
    case .tpm: try WalletError.ofTPM { () throws(TPMError) in try TPM(tcti: tpm).check() }
    case .keyring: try Keyring().check()
    case .file: break
    }
  }

  /// The best place that there is now; the caller remembers it with the wallet.
  public static func find(tpm: String = hardwareTPM) -> DeviceSecretPlace {
    allCases.first { place in
      do throws(WalletError) {
        try place.check(tpm: tpm)
        return true
      } catch {
        return false
      }
    } ?? .file
  }
}
