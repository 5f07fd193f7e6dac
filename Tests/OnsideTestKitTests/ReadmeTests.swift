import Foundation
import OnsideKit
import OnsideTestKit
import Testing

/// The class of the README and of Getting Started, which the samples of other articles extend.
typealias Shop = ReadmeSample.Shop

/// In the README the test stands without this suite, which is here for its time limit.
@Suite("The test of the README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @MainActor
  @Test("Coins are delivered once, also after a crash")
  func coins() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    let session = OnsideTestSession(selling: .consumable("coins_100", price: "0.99"))
    let phone = session.device()
    try phone.launch { try Shop.start(file: file) }  // your code as it is: Onside is the phone's
    phone.crash(at: .delivered)  // after the shop has saved the coins, before the queue is finished

    try await phone.buy("coins_100")
    let shop = try phone.launch { try Shop.start(file: file) }
    try await session.transaction(of: "coins_100", in: .finished)
    #expect(shop.coins == 100)
  }
}
