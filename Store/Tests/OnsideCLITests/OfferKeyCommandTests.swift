import Foundation
import OnsideStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OfferKeyCommandTests {
  private let onside: Program
  private static let key = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEuwTjkq1EA89etAS6wRvcA6cZfAgx
    u5LcIBsOMqlKMNIgwMZOIsaLauPAB4AFv+aYWAs4V0x4AtgqvsmWiaBbTw==
    -----END PUBLIC KEY-----
    """

  init() throws { onside = try Program() }

  @Test("SUB-12: an app's keys are added, listed and removed; mistakes are one line and change nothing")
  func keys() async throws {
    let app = ["--app", "io.example.lumen"]
    func run(_ arguments: [String]) async throws -> Program.Outcome {
      try await onside.run(["app", "offer-key"] + arguments + app)
    }
    try #require(try await onside.run("app", "add", "io.example.lumen").status == 0)
    try onside.folder.write("offers.pub.pem", text: Self.key)
    try onside.folder.write("broken.pem", text: Self.key.replacing("MFk", with: "MFo"))
    #expect(try await run(["list"]).output == "io.example.lumen has no keys for offers.\n")
    let added = try await run(["add", "offers.pub.pem", "--kid", "k1"])
    #expect(added.output == "The key of io.example.lumen has the kid k1.\n", "\(added)")
    #expect(try await run(["list"]).output.contains("k1"))
    for arguments in [
      ["add", "offers.pub.pem", "--kid", "k1"], ["add", "broken.pem"], ["add", "none.pem"],
      ["add", "offers.pub.pem", "--kid", "two words"], ["remove", "k2"],
    ] {
      let outcome = try await run(arguments)
      #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments) \(outcome)")
    }
    #expect(try await run(["remove", "k1"]).status == 0)
  }
}
