import OnsideWallet
import Testing

@Suite("The wallet's published calls, in Swift 6", .timeLimit(.minutes(5)))
struct WalletCallShapes6Tests {
  @Test("WAL-16: every published call shape compiles in the language mode of Swift 6, with one import")
  func compiles() {
    // That this target was built is the test; the functions are named so that none of them is left away.
    let calls: (SigningKeyPair, String) throws -> String? = StaticCalls.keep
    let later: (SigningKeyPair, String) async throws -> String = StaticCalls.keepLater
    _ = (calls, later, BlockingCalls.life, AddedCalls.life, AuthModel.self)
    #expect(SigningKeyPair.random().address.hasPrefix("G"))
  }
}
