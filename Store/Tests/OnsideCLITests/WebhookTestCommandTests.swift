import Foundation
import StoreTestSupport
import Testing

/// `onside webhook test`. The samples in `Examples/Backends` are receivers that pass (`Examples/Backends/test.py`).
@Suite(.timeLimit(.minutes(5))) struct WebhookTestCommandTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private let onside: Program

  init() throws { onside = try Program() }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await onside.run(["webhook", "test"] + arguments)
  }

  @Test("a receiver that does not answer fails each required case, with status 1")
  func noReceiver() async throws {
    // Port 1 of the loopback interface has no server.
    let outcome = try await run("http://127.0.0.1:1/", "--secret", Self.secret)
    #expect(outcome.status == 1, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 11, "\(outcome.output)")
    #expect(lines.first?.contains(/^CASE +EXPECTED +STATUS +MS +VERDICT +REASON$/) == true, "\(outcome.output)")
    #expect(outcome.output.contains(#/valid +2xx +none +\d+ +failed +no answer: /#), "\(outcome.output)")
    let secret = ["ONSIDE_WEBHOOK_SECRET": Self.secret]
    let other = try await onside.run(["webhook", "test", "http://127.0.0.1:1/"], environment: secret)
    #expect(other.status == 1 && other.output.split(separator: "\n").count == 11, "\(other)")
    #expect(outcome.output.contains(#/slow body +2xx +none +\d+ +warning +no answer: /#), "\(outcome.output)")
  }

  @Test("a wrong address or secret is an error that does not repeat the secret")
  func mistakes() async throws {
    for (arguments, expected) in [
      (["ftp://127.0.0.1/", "--secret", Self.secret], "expected an address with http or https"),
      (["http:///", "--secret", Self.secret], "expected an address with http or https"),
      (["http://127.0.0.1:1/", "--secret", "whsec_c2hvcnQ="], "--secret: expected whsec_"),
      (["http://127.0.0.1:1/", "--secret", Self.secret, "--second-secret", "c2hvcnQ="], "--second-secret: expected"),
      (["http://127.0.0.1:1/"], "--secret"),
    ] {
      let outcome = try await onside.run(["webhook", "test"] + arguments)
      #expect(outcome.status != 0 && outcome.output.isEmpty, "\(arguments) \(outcome)")
      #expect(outcome.errors.contains(expected) && !outcome.errors.contains("c2hvcnQ="), "\(arguments) \(outcome)")
    }
  }
}
