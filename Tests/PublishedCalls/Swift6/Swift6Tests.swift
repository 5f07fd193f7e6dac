import OnsideKit
import OnsideTestKit
import Testing

@Suite("The published calls in Swift 6", .timeLimit(.minutes(5)))
struct Swift6Tests {
  @Test("API-1: every published call compiles in the Swift 6 language mode")
  func languageMode() {
    #if !swift(>=6)
      Issue.record("expected this target to be compiled in the Swift 6 language mode")
    #endif
  }

  @Test("API-1: the queue can be awaited from another actor")
  func awaited() async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100"))
    let phone = await session.device()
    await phone.launch {}
    try await phone.logIn()
    let country = try await phone.run { await Catalogue().region() }
    #expect(country == "NL")
  }
}
