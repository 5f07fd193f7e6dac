import CTPM

/// Why a TPM did not do what it was asked.
package enum TPMError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is none that can be used here: why.
  case unavailable(String)
  /// It was sealed by another TPM, or this one has been cleared since.
  case another
  /// Not what was sealed.
  case damaged
  /// The authorisation value is not the one that it was sealed with; counted.
  case wrongAuth
  /// Too many wrong ones; this one was not tried.
  case locked
  /// It answered with a code that is not expected.
  case refused(UInt32)

  package var description: String {
    switch self {
    case .unavailable(let reason): reason
    case .another: "another TPM sealed it, or this one was cleared since"
    case .damaged: "it is not what the TPM sealed"
    case .wrongAuth: "the value is not the one that it was sealed with"
    case .locked: "the TPM is locked"
    case .refused(let code): "the TPM answered 0x\(String(code, radix: 16))"
    }
  }

  /// What a function of `CTPM` answered.
  init(code: UInt32, _ tcti: String) {
    self =
      switch code {
      case CTPM_NOT_BUILT: .unavailable("this program was built without tpm2-tss (libtss2-dev)")
      case CTPM_NO_LIBRARY: .unavailable("libtss2-esys.so.0 or libtss2-tctildr.so.0 is not installed")
      case CTPM_OUT_OF_RANGE: .damaged
      case Self.lockout: .locked
      case _ where code & Self.layers == Self.tctiLayer:
        .unavailable("no TPM answers at \(tcti) (0x\(String(code, radix: 16)))")
      case _ where code & Self.layers == Self.marshallingLayer: .damaged
      case _ where code & Self.layers != 0: .refused(code)
      default: Self(answer: code)
      }
  }

  /// A response code of the TPM itself (TPM 2.0 Library, part 2, "TPM_RC").
  private init(answer code: UInt32) {
    // With bit 7 it also says where: bit 6 means a parameter, else a handle or a session.
    switch code {
    case _ where code & 0xbf == 0x8e: self = .wrongAuth
    case _ where code & 0xc0 == 0xc0: self = .damaged
    default: self = .refused(code)
    }
  }

  private static let layers: UInt32 = 0x00ff_0000
  private static let tctiLayer: UInt32 = 0x000a_0000
  private static let marshallingLayer: UInt32 = 0x0009_0000
  private static let lockout: UInt32 = 0x921
}
