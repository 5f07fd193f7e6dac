import Foundation
import Stellar
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct WalletSignTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func wallet(_ arguments: String..., lines: String...) async throws -> Program.Outcome {
    let words = ["wallet"] + arguments + ["--wallet", "w"] + (lines.isEmpty ? [] : ["--pin-fd", "0"])
    return try await onside.run(words, input: lines.map { $0 + "\n" }.joined())
  }

  @Test("WAL-9: A transaction is shown, signed by the wallet for its network, and nothing else in it changes")
  func transaction() async throws {
    let made = try await wallet("create", "--no-vault", "--network", "test", lines: "908172")
    let account = try AccountAddress(try #require(made.output.split(separator: "\n").first))
    let pay = Stellar.Operation(
      .payment(to: MuxedAccount(SigningKeyPair.random().account), .native, try #require(Amount(stroops: 15_000_000))))
    let envelope = TransactionEnvelope(
      try Transaction(source: MuxedAccount(account), fee: 100, sequence: 7, operations: [pay]))
    let outcome = try await wallet("sign", "--transaction", envelope.base64, lines: "908172")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("Pay 1.5 XLM to G") && outcome.errors.contains("Stellar's test network"))
    let signed = try TransactionEnvelope(base64: outcome.output.trimmingCharacters(in: .newlines))
    #expect(signed.transaction == envelope.transaction)
    let signature = try #require(signed.signatures.first)
    #expect(signed.signatures.count == 1 && signature.hint == account.hint)
    #expect(account.isValid(signature.bytes, of: envelope.transaction.hash(on: .test)))
    #expect(!account.isValid(signature.bytes, of: envelope.transaction.hash(on: .public)))
    let wrong = try await wallet("sign", "--transaction", envelope.base64, lines: "908173")
    #expect(wrong.status == 1 && wrong.output.isEmpty)
    let bad = try await wallet("sign", "--transaction", "AAAA", lines: "908172")
    #expect(bad.status == 1 && bad.output.isEmpty && bad.errors.contains("Error:"))
    let errors = try await wallet("sign", lines: "908172").errors
    #expect(errors.contains("--transaction BASE64 or --message TEXT"))
  }

  @Test("WAL-14: a login challenge and a text with hidden characters are shown as what they are before signing")
  func shown() async throws {
    let made = try await wallet("create", "--no-vault", "--network", "test", lines: "908172")
    let account = try AccountAddress(try #require(made.output.split(separator: "\n").first))
    let server = SigningKeyPair.random()
    let rules = try WebAuthentication(
      server: server.account, homeDomain: "other.example", webAuthDomain: "other.example", network: .test)
    let now = UInt64(Date().timeIntervalSince1970)
    let challenge = try rules.challenge(for: MuxedAccount(account), nonce: Array(0..<48), now: now, signedBy: server)
    let login = try await wallet("sign", "--transaction", challenge.envelope.base64, lines: "908173")
    #expect(login.status == 1 && login.output.isEmpty)
    #expect(login.errors.hasPrefix("LOGIN to \"other.example\" (SEP-10)"), "\(login.errors)")
    let text = try await wallet("sign", "--message", "pay\u{202E}001\u{200B}0\u{2069} x", lines: "908172")
    #expect(text.errors.contains(#"Message: "pay\u{202e}001\u{200b}0\u{2069} x""#), "\(text.errors)")
  }

  private struct Vectors: Decodable {
    struct Good: Decodable {
      let item: String
      let pin: String
      let `public`: String
    }
    let good: [Good]
  }

  @Test("WAL-8: An item of SwiftBasicPay is imported once, under a new PIN, and only for the address that was named")
  func importing() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Tests/OnsideWalletImportTests/Files/legacy.json").standardized
    let vector = try #require(try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).good.last)
    try onside.folder.write("item", text: vector.item + "\n")
    func take(_ arguments: String..., old: String = vector.pin, new: String = "718260") async throws -> Program.Outcome
    {
      let words = ["wallet", "import", "item", "--no-vault", "--wallet", "w", "--pin-fd", "0"] + arguments
      return try await onside.run(words, input: "\(old)\n\(new)\n")
    }
    let unnamed = try await take()
    #expect(unnamed.status == 1 && unnamed.errors.contains("expected --address"))
    #expect(unnamed.errors.contains(vector.public))
    let another = SigningKeyPair.random().address
    let errors = try await take("--address", another).errors
    #expect(errors.contains("nothing was done"))
    let secondErrors = try await take("--address", vector.public, old: "908173").errors
    #expect(secondErrors.contains("got another"))
    let same = try await take("--address", vector.public, new: vector.pin)
    #expect(same.status == 1 && same.errors.contains("expected another PIN than the old item's"))
    let status = try await wallet("address").status
    #expect(status == 1, "nothing was made so far")
    let imported = try await take("--address", vector.public)
    #expect(imported.status == 0 && imported.output.hasPrefix(vector.public), "\(imported.errors)")
    #expect(imported.output.contains("Delete the old item now"))
    let output = try await wallet("sign-in", lines: "718260").output
    #expect(output == vector.public + "\n")
    let secondStatus = try await wallet("sign-in", lines: vector.pin).status
    #expect(secondStatus == 1)
    let thirdErrors = try await take("--address", vector.public, new: "817263").errors
    #expect(thirdErrors.contains("found one"))
    let secret = try await wallet("words", lines: "718260").output
    #expect(secret.hasPrefix("S") && secret.count == 57, "it was made from a key")
  }
}
