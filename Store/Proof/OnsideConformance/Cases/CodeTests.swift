import ConformanceTable
import Testing

@Suite("Codes", .timeLimit(.minutes(5)))
struct CodeTests {
  @Test(
    "ACC-11, ACC-12: guesses at codes are right no more often than the limits allow",
    .columns(.store, because: "a local store sends no codes"), arguments: GuessingAttack.Aim.allCases)
  func guesses(aim: GuessingAttack.Aim) async throws {
    let outcome = try await GuessingAttack(on: aim, guesses: 4000).run()
    print(outcome.text)
    #expect(outcome.isWithinLimits, "\(outcome.text)")
    #expect(outcome.tries > 0)
  }
}
