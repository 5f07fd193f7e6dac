import OnsideAPI
import Sodium

#if os(Linux)
  import SecretService

  /// The desktop's Secret Service, as far as it keeps device secrets: one item for each enrolment.
  struct Keyring: Sendable {
    private let service: BlockingSecretService

    init(deadline: Double = 30) { service = BlockingSecretService(deadline: deadline) }

    func check() throws(WalletError) {
      try call { () throws(SecretServiceError) in try service.check() }
    }

    func secret(of enrolment: [UInt8]) throws(WalletError) -> SecretBytes? {
      // Nil when there is none, and a nil in it when it is no text of this wallet's.
      let found = try call { () throws(SecretServiceError) in
        try service.secret(attributes(enrolment)) { Base64.decode($0) }
      }
      guard let found else { return nil }
      guard let secret = found else { throw .damaged("another secret in the Secret Service") }
      return secret
    }

    func store(_ secret: SecretBytes, of enrolment: [UInt8]) throws(WalletError) {
      let text = Base64.encode(secret)
      try call { () throws(SecretServiceError) in
        try service.keep(
          { body in text.withBytes { $0.withMemoryRebound(to: CChar.self, body) } },
          label: "Device secret of an Onside wallet", attributes: attributes(enrolment))
      }
    }

    func remove(_ enrolment: [UInt8]) throws(WalletError) {
      try call { () throws(SecretServiceError) in try service.remove(attributes(enrolment)) }
    }

    private func attributes(_ enrolment: [UInt8]) -> [String: String] {
      ["xdg:schema": "org.onside.Wallet", "enrolment": Hexadecimal.encode(enrolment)]
    }

    private func call<Value>(_ body: () throws(SecretServiceError) -> Value) throws(WalletError) -> Value {
      do throws(SecretServiceError) {
        return try body()
      } catch .locked {
        throw .deviceSecretLocked("the Secret Service")
      } catch {
        throw .deviceSecretUnreachable("the Secret Service", "\(error)")
      }
    }
  }
#else
  /// There is none on this system.
  struct Keyring: Sendable {
    private let missing = WalletError.deviceSecretUnreachable("the Secret Service", "this system has none")

    func check() throws(WalletError) { throw missing }
    func secret(of enrolment: [UInt8]) throws(WalletError) -> SecretBytes? { throw missing }
    func store(_ secret: SecretBytes, of enrolment: [UInt8]) throws(WalletError) { throw missing }
    func remove(_ enrolment: [UInt8]) throws(WalletError) { throw missing }
  }
#endif
