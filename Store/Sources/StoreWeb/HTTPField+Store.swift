package import HTTPTypes
import OnsideAPI

extension HTTPField.Name {
  static let forwardedFor = Self("X-Forwarded-For")!
  static let secondHost = Self("Host")!
  static let referrerPolicy = Self("Referrer-Policy")!
  package static let onsideApp = Self(WireHeader.app)!
  package static let onsideDevice = Self(WireHeader.device)!
  static let onsideStore = Self(WireHeader.store)!
  package static let idempotencyKey = Self(WireHeader.idempotencyKey)!
  package static let vaultSignature = Self(WireHeader.vaultSignature)!
}
