import Crypto
import Foundation
import OnsideAPI
import Stellar
package import StoreBase
package import StoreWeb

/// The server side of SEP-10 web authentication: makes challenges, and identifies an account by its signed challenge. A
/// challenge is valid once, for 15 minutes, and only for its purpose: a token, or the login of one login page.
package struct WalletLogin: Sendable {
  let address: PublicAddress
  let network: Network
  let keys: VersionedKey<Keys>
  let database: any Database
  let clock: SandboxClock
  let random: any RandomSource

  /// The keys that make the store's challenges.
  struct Keys: Sendable {
    let pair: SigningKeyPair
    let nonces: SymmetricKey

    init(_ secret: StoreSecret) {
      guard let pair = secret.key(for: "wallet-signing-key").withUnsafeBytes({ SigningKeyPair(seed: $0) }) else {
        preconditionFailure("expected Ed25519 to take a seed of 32 bytes")
      }
      self.pair = pair
      nonces = secret.key(for: "wallet-challenges")
    }
  }

  /// The purpose of a challenge.
  enum Purpose: Sendable, Hashable {
    case token
    case login(String)

    fileprivate var text: String {
      switch self {
      case .token: "token"
      case .login(let attempt): "login \(attempt)"
      }
    }
  }

  /// Why a signed challenge is refused.
  enum Refusal: Error, Sendable, Hashable {
    /// It breaks a rule of SEP-10.
    case rule(WebAuthenticationError)
    /// The challenge was made for another purpose.
    case otherPurpose
    /// It was used before.
    case used
  }

  /// Nil when the configuration does not offer wallets.
  package init?(
    _ configuration: WalletConfiguration, _ dependencies: BaseDependencies, address: PublicAddress,
    secrets: StoreSecrets
  ) {
    guard configuration.isOffered else { return nil }
    self.address = address
    network = configuration.network(in: dependencies.environment)
    keys = VersionedKey(secrets) { Keys($0) }
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
  }

  /// The pair of `SIGNING_KEY`.
  var pair: SigningKeyPair { keys.current.pair }

  /// The store's `stellar.toml`.
  var information: StellarInformation {
    StellarInformation(
      signingKey: pair.account, webAuthEndpoint: address.url(path: "/v1/wallet/auth").absoluteString, network: network)
  }

  /// The domain that people log in to.
  var domain: String {
    let url = address.url
    return (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
  }

  private func rules(_ pair: SigningKeyPair) throws(Refusal) -> WebAuthentication {
    do throws(WebAuthenticationError) {
      return try WebAuthentication(server: pair.account, homeDomain: domain, webAuthDomain: domain, network: network)
    } catch {
      throw .rule(error)
    }
  }

  // The real time: a sandbox's moved clock does not move the clocks of wallets.
  private var now: UInt64 { UInt64(max(0, clock.unmovedNow().timeIntervalSince1970)) }

  func challenge(for account: MuxedAccount, memo: UInt64? = nil, _ purpose: Purpose) throws(Refusal) -> WebChallenge {
    let keys = keys.current
    let rules = try rules(keys.pair)
    do throws(WebAuthenticationError) {
      return try rules.challenge(
        for: account, memo: memo, nonce: nonce(purpose, keys.nonces), now: now, signedBy: keys.pair)
    } catch {
      throw .rule(error)
    }
  }

  /// The challenge in a text, if it is for the purpose and can still be signed; else nil.
  func isOpen(_ text: String, for purpose: Purpose) -> WebChallenge? {
    let challenge = keys.first { keys in
      (try? rules(keys.pair).read(text, now: now)).flatMap { isFor(purpose, nonce: $0.nonce, keys.nonces) ? $0 : nil }
    }
    return challenge?.envelope.signatures.count == 1 ? challenge : nil
  }

  /// Checks a signed challenge and uses it up.
  func take(_ text: String, for purpose: Purpose) async throws -> WebChallenge {
    let challenge = try verified(text, for: purpose)
    let end = Date(timeIntervalSince1970: TimeInterval(challenge.timeBounds.maximum))
    let (name, time) = (Base64URL.encode(challenge.nonce), clock.unmovedNow())
    let isFirst = try await database.write(at: time) { try WalletRecords.use(name, until: end, in: $0) }
    guard isFirst else { throw Refusal.used }
    return challenge
  }

  private func verified(_ text: String, for purpose: Purpose) throws(Refusal) -> WebChallenge {
    do throws(Refusal) {
      return try verified(text, for: purpose, keys.current)
    } catch {
      // Made before the secret was rotated.
      guard let challenge = keys.first({ try? verified(text, for: purpose, $0) }) else { throw error }
      return challenge
    }
  }

  private func verified(_ text: String, for purpose: Purpose, _ keys: Keys) throws(Refusal) -> WebChallenge {
    let rules = try rules(keys.pair)
    let challenge: WebChallenge
    do throws(WebAuthenticationError) {
      challenge = try rules.verify(text.filter { !$0.isWhitespace }, now: now)
    } catch {
      throw .rule(error)
    }
    guard isFor(purpose, nonce: challenge.nonce, keys.nonces) else { throw .otherPurpose }
    return challenge
  }

  /// Whether the signer of a challenge has an account at the store.
  func hasAccount(_ challenge: WebChallenge) async throws -> Bool {
    guard let identity = challenge.identity(on: network) else { return false }
    return try await database.read { try AccountRecords.account(identity: identity, in: $0)?.isRemoved == false }
  }

  // MARK: Nonces

  private static let half = WebAuthentication.nonceLength / 2

  /// A nonce of random bytes and a keyed hash over them and the purpose: the store recognises its challenges without
  /// storing them.
  private func nonce(_ purpose: Purpose, _ key: SymmetricKey) -> [UInt8] {
    let bytes = random.bytes(Self.half)
    return bytes + Self.code(bytes, for: purpose, key)
  }

  private func isFor(_ purpose: Purpose, nonce: [UInt8], _ key: SymmetricKey) -> Bool {
    let bytes = Array(nonce.prefix(Self.half))
    return ConstantTime.areEqual(nonce.dropFirst(Self.half), Self.code(bytes, for: purpose, key))
  }

  private static func code(_ bytes: [UInt8], for purpose: Purpose, _ key: SymmetricKey) -> [UInt8] {
    let code = HMAC<SHA384>.authenticationCode(for: Data(bytes + Array(purpose.text.utf8)), using: key)
    return Array(code.prefix(half))
  }
}
