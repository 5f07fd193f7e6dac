package import Foundation
package import OnsideAPI
import OnsideCommerce
import StoreWeb

/// A login attempt, from the first page to the answer. It belongs to the browser that began it.
package struct LoginAttempt: Sendable {
  /// The purpose of the login.
  package enum Purpose: Sendable, Hashable {
    /// An app waits for an authorization code.
    case app(AuthorizationRequest)
    /// A page of the store itself; the path to go on to.
    case web(next: String)
    /// An account that gets one more way to log in.
    case add(to: AccountID)
  }

  /// An unguessable name, part of the pages' addresses.
  package let id: String
  /// The hash of the browser's cookie.
  let browser: String
  let purpose: Purpose
  let language: Language
  let theme: Theme
  /// The country that the app has guessed; it only fills in the dialling code.
  let countryHint: CountryCode?
  /// True when the person must prove their identity anew: a provider is asked for a fresh login.
  var isProof = false
  /// True when the app accepts phone numbers and e-mail addresses only.
  var isLocal = false
  /// The identity that the person claims. It is stored in the column `phone`, which is older than the other identities.
  var identity: Identity?
  /// A label that distinguishes the identity from others of the same issuer.
  var label: String?
  /// When the person proved the identity, nil before. The account is created later, when the region is chosen.
  var verifiedAt: Date?
  var isFinished = false
  let expiresAt: Date

  package static let lifetime: TimeInterval = 30 * 60

  /// True once the identity is proved.
  var isVerified: Bool { verifiedAt != nil }

  /// The number or address that codes go to.
  var contact: Contact? { identity?.contact }
}
