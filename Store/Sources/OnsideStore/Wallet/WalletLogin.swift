import Crypto
import Foundation
import Stellar

/// The store's side of SEP-10: makes challenges, and sees by a signed one who has come. A challenge serves once, within 15
/// minutes, and only for what it was made for: a token, or one login page's login.
struct WalletLogin: Sendable {
  let address: PublicAddress
  let network: Network
  let pair: SigningKeyPair
  let key: SymmetricKey
  let database: any Database
  let clock: SandboxClock
  let random: any RandomSource

  /// What a challenge is made for.
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

  /// Why nobody is logged in.
  enum Refusal: Error, Sendable, Hashable {
    /// One of SEP-10's rules.
    case rule(WebAuthenticationError)
    /// The challenge was made for something else.
    case otherPurpose
    /// It has served.
    case used
  }

  /// Nil where wallets are not asked for.
  init?(_ core: StoreCore) {
    let configuration = core.dependencies.configuration
    let seed = core.secrets.key(for: "wallet-signing-key")
    guard configuration.wallet.isOffered, let pair = seed.withUnsafeBytes({ SigningKeyPair(seed: $0) }) else {
      return nil
    }
    address = core.address
    network = configuration.wallet.network(in: configuration.environment)
    self.pair = pair
    key = core.secrets.key(for: "wallet-challenges")
    database = core.dependencies.database
    clock = core.dependencies.clock
    random = core.dependencies.random
  }

  /// What the store says of itself.
  var information: StellarInformation {
    StellarInformation(
      signingKey: pair.account, webAuthEndpoint: address.url(path: "/v1/wallet/auth").absoluteString, network: network)
  }

  /// The domain that people log in to.
  var domain: String {
    let url = address.url
    return (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
  }

  private func rules() throws(Refusal) -> WebAuthentication {
    do throws(WebAuthenticationError) {
      return try WebAuthentication(server: pair.account, homeDomain: domain, webAuthDomain: domain, network: network)
    } catch {
      throw .rule(error)
    }
  }

  // Wallets have clocks that no sandbox moves.
  private var now: UInt64 { UInt64(max(0, clock.unmovedNow().timeIntervalSince1970)) }

  func challenge(for account: MuxedAccount, memo: UInt64? = nil, _ purpose: Purpose) throws(Refusal) -> WebChallenge {
    let rules = try rules()
    do throws(WebAuthenticationError) {
      return try rules.challenge(for: account, memo: memo, nonce: nonce(purpose), now: now, signedBy: pair)
    } catch {
      throw .rule(error)
    }
  }

  /// Whether this is a challenge for the purpose that can still be signed.
  func isOpen(_ text: String, _ purpose: Purpose) -> WebChallenge? {
    guard let challenge = try? rules().read(text, now: now), isFor(purpose, challenge.nonce) else { return nil }
    return challenge.envelope.signatures.count == 1 ? challenge : nil
  }

  /// Takes a signed challenge, once.
  func take(_ text: String, _ purpose: Purpose) async throws -> WebChallenge {
    let rules = try rules()
    let challenge: WebChallenge
    do throws(WebAuthenticationError) {
      challenge = try rules.verify(text.filter { !$0.isWhitespace }, now: now)
    } catch {
      throw Refusal.rule(error)
    }
    guard isFor(purpose, challenge.nonce) else { throw Refusal.otherPurpose }
    let end = Date(timeIntervalSince1970: TimeInterval(challenge.timeBounds.maximum))
    let (name, time) = (Base64URL.encode(challenge.nonce), clock.unmovedNow())
    let isFirst = try await database.write { try WalletRecords.use($0, name, until: end, now: time) }
    guard isFirst else { throw Refusal.used }
    return challenge
  }

  /// Whether there is an account that whoever signed logs in to.
  func hasAccount(_ challenge: WebChallenge) async throws -> Bool {
    guard let identity = challenge.identity(on: network) else { return false }
    return try await database.read { try AccountRecords.account($0, identity: identity)?.isRemoved == false }
  }

  // MARK: Nonces

  private static let half = WebAuthentication.nonceLength / 2

  /// Random bytes, and a code over them and the purpose: so the store knows its challenges without keeping them.
  private func nonce(_ purpose: Purpose) -> [UInt8] {
    let bytes = random.bytes(Self.half)
    return bytes + code(bytes, purpose).prefix(Self.half)
  }

  private func isFor(_ purpose: Purpose, _ nonce: [UInt8]) -> Bool {
    let bytes = Array(nonce.prefix(Self.half))
    return zip(nonce.dropFirst(Self.half), code(bytes, purpose)).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
  }

  private func code(_ bytes: [UInt8], _ purpose: Purpose) -> [UInt8] {
    Array(HMAC<SHA384>.authenticationCode(for: Data(bytes + Array(purpose.text.utf8)), using: key))
  }
}

/// The challenges that have served, until they end.
enum WalletRecords {
  /// Notes a challenge; false if it was noted before.
  ///
  /// Those that have ended are forgotten but for the latest end, under an empty id: a clock that is set back brings none
  /// of them back.
  static func use(_ connection: any SQLConnection, _ name: String, until end: Date, now: Date) throws -> Bool {
    try connection.execute(
      """
      INSERT INTO wallet_challenges(id, expires_at)
      SELECT '', max(expires_at) FROM wallet_challenges WHERE expires_at < $1 GROUP BY 1
      ON CONFLICT(id) DO UPDATE SET expires_at = excluded.expires_at
      WHERE excluded.expires_at > wallet_challenges.expires_at
      """, [.date(now)])
    try connection.deleteSome(from: "wallet_challenges", where: "expires_at < $1 AND id <> ''", [.date(now)])
    return try connection.execute(
      """
      INSERT INTO wallet_challenges(id, expires_at) SELECT $1, $2
      WHERE NOT EXISTS (SELECT 1 FROM wallet_challenges WHERE id = '' AND expires_at >= $2)
      ON CONFLICT(id) DO NOTHING
      """, [.text(name), .date(end)]) == 1
  }
}

extension Migration {
  static let wallet = [
    Migration(
      86, "login challenges that have served",
      """
      CREATE TABLE wallet_challenges(id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL) WITHOUT ROWID;
      CREATE INDEX wallet_challenges_by_end ON wallet_challenges(expires_at);
      """)
  ]
}
