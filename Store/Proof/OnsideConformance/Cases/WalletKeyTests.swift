import ConformanceTable
import Crypto
import Foundation
import NIOHTTP1
import OnsideAPI
import OnsideStore
import OnsideWallet
import Stellar
import StoreTestSupport
import Testing

/// Wallets whose wrong PINs the store counts.
@Suite("Wallets with a vault", .serialized, .timeLimit(.minutes(10)))
struct WalletKeyTests {
  private static let reason = "the store's vault counts a wallet's tries"

  @Test(
    "WAL-2: sign in returns the address; who is signed up and in follows from what is stored and the session",
    .columns(.store, because: reason))
  @MainActor
  func signIn() async throws {
    try await TestedSystem.run { system in
      let wallet = try VaultedWallet(in: system)
      let service = try wallet.service()
      let isSignedUp = try service.userIsSignedUp
      #expect(!isSignedUp)
      #expect(!service.userIsSignedIn)
      #expect(service.signedInUserAddress == nil)
      let pair = SigningKeyPair.random()
      let signUp = try await service.signUp(userKeyPair: pair, pin: PIN("908172"))
      #expect(signUp == pair.address)
      #expect(service.userIsSignedIn && service.signedInUserAddress == pair.address)
      let later = try wallet.service()
      #expect(try later.userIsSignedUp && !later.userIsSignedIn)
      let actualSignIn = try await later.signIn(pin: PIN("908172"))
      #expect(actualSignIn == pair.address)
      #expect(later.userIsSignedIn && later.signedInUserAddress == pair.address)
      let triesLeft = try await wallet.triesLeft()
      #expect(triesLeft == 10)
    }
  }

  @Test(
    "WAL-3: the key pair comes with the PIN alone, signed in or not; sign out drops the address",
    .columns(.store, because: reason))
  @MainActor
  func keyPair() async throws {
    try await TestedSystem.run { system in
      let wallet = try VaultedWallet(in: system)
      let service = try wallet.service()
      let pair = SigningKeyPair.random()
      _ = try await service.signUp(userKeyPair: pair, pin: PIN("908172"))
      #expect(service.userIsSignedIn)
      let signedIn = try await service.userKeyPair(pin: PIN("908172"))
      #expect(signedIn.address == pair.address)
      service.signOut()
      #expect(!service.userIsSignedIn && service.signedInUserAddress == nil)
      let address = try await service.userKeyPair(pin: PIN("908172")).address
      #expect(address == pair.address)
      #expect(!service.userIsSignedIn, "reading the key does not sign in")
      let wrong = await VaultedWallet.outcome { try await service.userKeyPair(pin: PIN("908173")) }
      #expect(wrong == "invalidPin")
      let signature = try await service.withSigningKey(pin: PIN("908172")) { $0.signature(ofMessage: "hello") }
      #expect(pair.account.isValid(signature, ofMessage: "hello"))
    }
  }

  @Test(
    "WAL-4: a wrong PIN, no wallet and a damaged file are three things; no bit flip opens, or costs a try",
    .columns(.store, because: reason))
  @MainActor
  func errors() async throws {
    try await TestedSystem.run { system in
      let wallet = try VaultedWallet(in: system)
      let actualOutcome = await wallet.outcome(of: "908172")
      #expect(actualOutcome == "userNotFound")
      _ = try await wallet.service().signUp(userKeyPair: .random(), pin: PIN("908172"))
      let secondOutcome = await wallet.outcome(of: "908173")
      #expect(secondOutcome == "invalidPin")
      let evaluations = system.network.count(.call(.vaultEvaluate))
      let good = try Data(contentsOf: wallet.item)
      // Flips one bit of each byte, at rotating positions. HostileItemTests of the root package flips every bit.
      for byte in good.indices {
        var bad = good
        bad[byte] ^= 1 << (byte % 8)
        try bad.write(to: wallet.item)
        let outcome = await wallet.outcome(of: "908172")
        #expect(outcome == "damaged" || outcome == "deviceSecretMissing", "byte \(byte): \(outcome)")
      }
      try good.write(to: wallet.item)
      #expect(system.network.count(.call(.vaultEvaluate)) == evaluations, "the vault was not asked")
      let thirdOutcome = await wallet.outcome(of: "908172")
      #expect(thirdOutcome == "ok")
    }
  }

  @Test(
    "WAL-9: the store takes SEP-5's first key, refuses SEP-23's invalid ones; another library verifies the challenge",
    .columns(.store, because: "the store speaks SEP-10"))
  @MainActor
  func vectors() async throws {
    try await TestedSystem.run { system in
      let pair = try Mnemonic(text: Published.words).keyPair()
      #expect(pair.address == Published.address)
      #expect(pair.withSecret { Array($0) } == Array(Published.secret.utf8))
      let store = RunningStore(address: system.network.address, app: nil)
      for account in Published.invalid {
        let answer = try await store.ask(.GET, "/v1/wallet/auth", query: ["account": account])
        #expect(answer.status == 400, "\(account)")
      }
      let login = try WebLogin(store: system.network.address, network: .test)
      let challenge = try await login.challenge(for: pair.account)
      let signed = try login.sign(challenge, with: pair)
      let hasAccount = try await login.exchange(signed, of: challenge).hasAccount
      #expect(hasAccount == false)
      try checkByHand(try TransactionEnvelope(base64: signed), signedBy: pair.account, at: store)
    }
  }

  /// Checks both signatures with swift-crypto alone, over the transaction hash as the standard defines it.
  private func checkByHand(_ envelope: TransactionEnvelope, signedBy client: AccountAddress, at store: RunningStore)
    throws
  {
    let xdr = try #require(Data(base64Encoded: envelope.base64))
    // An envelope is its type (4 bytes), the transaction, the number of signatures (4 bytes) and 72 bytes for each.
    let signatures = xdr.suffix(2 * 72)
    let body = xdr.dropFirst(4).dropLast(2 * 72 + 4)
    let network = Data(SHA256.hash(data: Data("Test SDF Network ; September 2015".utf8)))
    let hash = Data(SHA256.hash(data: network + Data([0, 0, 0, 2]) + body))
    let server = envelope.transaction.source.account
    for (number, signer) in [server, client].enumerated() {
      let part = signatures.dropFirst(number * 72).prefix(72)
      #expect(Array(part.prefix(4)) == Array(signer.publicKey.suffix(4)))
      let key = try Curve25519.Signing.PublicKey(rawRepresentation: signer.publicKey)
      #expect(key.isValidSignature(part.suffix(64), for: hash))
    }
  }

  @Test(
    "WAL-10: PIN, key and words are in no request, no file of store or wallet, no error and no description",
    .columns(.store, because: reason))
  @MainActor
  func secrets() async throws {
    try await TestedSystem.run { system in
      let wallet = try VaultedWallet(in: system)
      let words = Mnemonic.random()
      let pair = try words.keyPair()
      let pin = "k7-" + UUID().uuidString
      let service = try wallet.service()
      _ = try await service.signUp(words: words, pin: PIN(pin))
      let login = try WebLogin(store: system.network.address, network: .test)
      let challenge = try await login.challenge(for: pair.account)
      let signed = try await service.withSigningKey(pin: PIN(pin)) { try login.sign(challenge, with: $0) }
      let outcome = try await login.exchange(signed, of: challenge)
      var texts = ["\(PIN(pin))", "\(words)", "\(pair)", String(reflecting: (PIN(pin), words, pair)), "\(outcome)"]
      do {
        _ = try await service.signIn(pin: PIN(pin + "x"))
      } catch {
        texts.append("\(error)" + String(reflecting: error))
      }
      texts += system.network.exchanges.value.map { "\($0.request.uri) \($0.request.headers) \($0.request.text)" }
      let places = texts.map { Data($0.utf8) } + (try files(system.folder.url)) + (try files(wallet.folder.url))
      #expect(places.contains { $0.range(of: Data(pair.address.utf8)) != nil }, "the search finds what is there")
      for (name, secret) in forms(pin, pair: pair, words: words) {
        #expect(!places.contains { $0.range(of: secret) != nil }, "\(name)")
      }
      #expect(!texts.dropLast(system.network.exchanges.value.count).contains { $0.contains(outcome.token.text) })
    }
  }

  private func files(_ folder: URL) throws -> [Data] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path()).compactMap {
      try? Data(contentsOf: folder.appending(path: $0))
    }
  }

  private func forms(_ pin: String, pair: SigningKeyPair, words: Mnemonic) -> [(String, Data)] {
    let secret = pair.withSecret { Data($0) }
    let text = words.withWords { Data($0) }
    return [("PIN", Data(pin.utf8)), ("S…", secret), ("words", text)].flatMap { name, bytes in
      // The middle of the base64 text, for each of the three alignments.
      let base64 = (0..<3).map { shift in
        let encoded = (Data(repeating: 0, count: shift) + bytes).base64EncodedString()
        return ("\(name), base64 \(shift)", Data(encoded.utf8.dropFirst(4).dropLast(4)))
      }
      return [(name, bytes), ("\(name), hexadecimal", Data(Hexadecimal.encode(bytes).utf8))]
        + base64
    }
  }
}

/// Test vectors of the standards: SEP-5's first test, and the invalid addresses of SEP-23.
private enum Published {
  static let words = "illness spike retreat truth genius clock brain pass fit cave bargain toe"
  static let address = "GDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ6"
  static let secret = "SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN"
  static let invalid = [
    "GAAAAAAAACGC6",
    "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR",
    "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA",
    "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI",
    "G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I",
    "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA",
    "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAAV75I",
    "M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ",
    "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUK===",
    "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUO",
    "PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAQACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IAAAAAAAAPM",
    "PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAOQCAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4Z2PQ",
    "PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAOQCAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DXFH6",
    "BAAD6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGR4TV",
    "BAAT6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGXACA",
  ]
}
