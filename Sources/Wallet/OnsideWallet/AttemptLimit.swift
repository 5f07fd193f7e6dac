/// The limit on PIN tries by an attacker who has the device.
public struct AttemptLimit: Sendable, Hashable {
  /// The name, for users and programs.
  public let name: String
  let code: UInt8

  /// The vault counts, and destroys its half of the key at the tenth wrong PIN.
  public static let server = AttemptLimit(name: "server", code: 1)
  /// The device's TPM counts, and locks: ``WalletStatus/lockout`` says when.
  public static let tpm = AttemptLimit(name: "tpm", code: 2)
  /// No limit: an attacker who copies item and device secret tries every PIN as fast as Argon2id runs.
  public static let attemptsNotLimited = AttemptLimit(name: "attemptsNotLimited", code: 0)

  init?(code: UInt8) {
    guard let known = [Self.attemptsNotLimited, .server, .tpm].first(where: { $0.code == code }) else { return nil }
    self = known
  }

  private init(name: String, code: UInt8) {
    self.name = name
    self.code = code
  }
}

extension AttemptLimit: CustomStringConvertible {
  /// Its name.
  public var description: String { name }
}
