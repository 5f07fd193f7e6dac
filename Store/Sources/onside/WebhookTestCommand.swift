import ArgumentParser
import Foundation
import StoreBase
import StoreMerchants

/// A conformance run for a receiver of webhooks: `onside webhook test`.
struct WebhookTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Sends events and forged requests to a receiver, and prints its answers.",
    discussion: """
      The receiver must answer 2xx to genuine events, also twice, out of order and of an unknown type, and 4xx to \
      forged, changed and old requests. Exit status 1 if a required case fails. No database is used. The events are of \
      customers webhook-test-…, who own products webhook_test_1 to 3 afterwards: use a test database. The status does \
      not show the state after events out of order: look at the product of webhook-test-…-out-of-order, which is \
      webhook_test_3.
      """)

  @Argument(help: "The address of the receiver, http or https.") var url: String
  @Option(
    help: ArgumentHelp(
      "The secret of the receiver. Default: the variable ONSIDE_WEBHOOK_SECRET.", valueName: "whsec_…"))
  var secret: String?
  @Option(help: ArgumentHelp("A second secret of the receiver, as during a rotation.", valueName: "whsec_…"))
  var secondSecret: String?
  @Option(help: ArgumentHelp("The app of the events.", valueName: "id")) var app = "io.example.webhook-test"
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    guard let address = URL(string: url), ["http", "https"].contains(address.scheme?.lowercased()),
      address.host(percentEncoded: false)?.isEmpty == false
    else { throw CommandFailure("expected an address with http or https, got \"\(url)\"") }
    let cases = WebhookCases(
      secret: try firstSecret(),
      secondSecret: try secondSecret.map { try Self.secret($0, of: "--second-secret") }, app: app,
      random: SystemRandom(), now: Date())
    let sender = WebhookCaseSender(url: url)
    var results: [WebhookCaseResult] = []
    for one in cases.all { results.append(await WebhookCaseResult.run(one, send: sender.send)) }
    try json ? printJSON(results, of: cases) : printTable(results)
    if results.contains(where: { $0.verdict == .failed }) { throw ExitCode.failure }
  }

  private func firstSecret() throws -> WebhookSecret {
    if let secret { return try Self.secret(secret, of: "--secret") }
    let name = "ONSIDE_WEBHOOK_SECRET"
    guard let text = ProcessInfo.processInfo.environment[name] else {
      throw CommandFailure("expected --secret or the variable \(name)")
    }
    return try Self.secret(text, of: name)
  }

  /// The secret of an option or variable. The error does not repeat it.
  private static func secret(_ text: String, of option: String) throws -> WebhookSecret {
    guard let secret = WebhookSecret(text: text) else {
      throw CommandFailure("\(option): expected whsec_ and 24 to 64 bytes in base64")
    }
    return secret
  }

  private func printTable(_ results: [WebhookCaseResult]) {
    var table = Table(["CASE", "EXPECTED", "STATUS", "MS", "VERDICT", "REASON"])
    for result in results {
      let statuses = result.answers.map { $0.status.map { "\($0)" } ?? "none" }
      table.add([
        result.testCase.name, result.testCase.expectation.rawValue, statuses.joined(separator: ", "),
        "\(result.milliseconds)", result.verdict.rawValue, result.reason ?? "",
      ])
    }
    table.show(orElse: "")
  }

  private func printJSON(_ results: [WebhookCaseResult], of cases: WebhookCases) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let rows = results.map { WebhookCaseJSON($0, subject: cases.subject(of: $0.testCase.name)) }
    print(String(decoding: try encoder.encode(rows), as: UTF8.self))
  }
}

extension WebhookCaseResult {
  fileprivate var milliseconds: Int { Int((took.seconds * 1000).rounded()) }
}

/// The result of a case in JSON.
private struct WebhookCaseJSON: Encodable {
  private let name: String
  private let expected: String
  private let statuses: [Int?]
  private let milliseconds: Int
  private let verdict: String
  private let reason: String?
  private let subject: String

  init(_ result: WebhookCaseResult, subject: String) {
    (name, expected) = (result.testCase.name, result.testCase.expectation.rawValue)
    (statuses, milliseconds) = (result.answers.map(\.status), result.milliseconds)
    (verdict, reason, self.subject) = (result.verdict.rawValue, result.reason, subject)
  }
}
