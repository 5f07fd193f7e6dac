public import Foundation

/// The limits on PIN tries at the vault.
public enum VaultRules {
  /// After this many tries without a proof that one was right, the key is deleted.
  public static let tries = 10
  /// How long an enrolment waits to be confirmed, in seconds.
  public static let confirmationTime: TimeInterval = 24 * 60 * 60
  /// How far a device's clock may be from the vault's, in seconds.
  public static let clockTolerance: TimeInterval = 5 * 60

  /// How long further tries are refused after the try of this number, in seconds.
  public static func wait(afterTry number: Int) -> TimeInterval {
    switch number {
    case ...3: 0
    case 4: 60
    case 5: 5 * 60
    case 6: 15 * 60
    case 7, 8: 60 * 60
    default: 8 * 60 * 60
    }
  }
}
