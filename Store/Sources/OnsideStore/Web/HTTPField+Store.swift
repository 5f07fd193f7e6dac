import HTTPTypes
import OnsideAPI

extension HTTPField.Name {
  static let forwardedFor = Self("X-Forwarded-For")!
  static let secondHost = Self("Host")!
  static let referrerPolicy = Self("Referrer-Policy")!
  static let onsideApp = Self(WireHeader.app)!
  static let onsideDevice = Self(WireHeader.device)!
  static let onsideStore = Self(WireHeader.store)!
  static let idempotencyKey = Self(WireHeader.idempotencyKey)!
  static let vaultSignature = Self(WireHeader.vaultSignature)!
}
