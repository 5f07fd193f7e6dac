import StoreTestSupport
import Testing

@Suite("A request of a test", .timeLimit(.minutes(5)))
struct RepeatedRequestTests {
  /// The status that a client gets whose request is answered with these, one after the other, and how many it took.
  private func outcome(_ answers: [(status: Int, retryAfter: String?)]) async throws -> (status: Int, sent: Int) {
    var sent = 0
    let status = try await repeatedWhileBusy("GET /") {
      defer { sent += 1 }
      let answer = answers[sent]
      return StoreAnswer(answer.status, status: answer.status, retryAfter: answer.retryAfter)
    }
    return (status, sent)
  }

  @Test("is repeated after the seconds of Retry-After while the store answers 503 with it")
  func repeated() async throws {
    let begin = ContinuousClock.now
    let (status, sent) = try await outcome([(503, "1"), (503, "1"), (200, nil)])
    #expect(status == 200 && sent == 3)
    #expect(ContinuousClock.now - begin >= .seconds(2))
  }

  @Test(
    "is not repeated after any other answer",
    arguments: [(503, nil), (503, "Thu, 01 Jan 1970 00:00:00 GMT"), (429, "1"), (500, "1"), (200, "1")])
  func final(status: Int, retryAfter: String?) async throws {
    let outcome = try await outcome([(status, retryAfter)])
    #expect(outcome.status == status && outcome.sent == 1)
  }
}
