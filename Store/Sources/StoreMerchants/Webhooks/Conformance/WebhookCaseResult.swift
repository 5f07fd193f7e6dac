/// The result of a case.
package struct WebhookCaseResult: Sendable {
  /// The verdict on a receiver's answers.
  package enum Verdict: String, Sendable {
    case passed
    /// An answer that fails the run.
    case failed
    /// Another answer than the expected one, in a case that is not required.
    case warning
  }

  package let testCase: WebhookCase
  /// The answers, in the order of the requests.
  package let answers: [WebhookCaseAnswer]

  package init(_ testCase: WebhookCase, answers: [WebhookCaseAnswer]) {
    self.testCase = testCase
    self.answers = answers
  }

  /// Sends the requests of a case, one after another.
  package static func run(
    _ testCase: WebhookCase, send: (WebhookCaseRequest) async -> WebhookCaseAnswer
  ) async -> WebhookCaseResult {
    var answers: [WebhookCaseAnswer] = []
    for request in testCase.requests { answers.append(await send(request)) }
    return WebhookCaseResult(testCase, answers: answers)
  }

  package var verdict: Verdict {
    guard unexpected != nil else { return .passed }
    return testCase.isRequired ? .failed : .warning
  }

  /// The longest time of an answer.
  package var took: Duration { answers.map(\.took).max() ?? .zero }

  /// The reason of another verdict than passed.
  package var reason: String? {
    guard let unexpected else { return nil }
    guard let status = unexpected.status else { return unexpected.failure ?? "no answer" }
    switch (status, testCase.expectation) {
    case (300..<400, _): return "the store does not follow redirects"
    case (410, .accepted): return "410 disables the endpoint"
    case (200..<300, .rejected): return "the receiver has accepted the request"
    case (500..., .rejected): return "expected a rejection, got an error of the receiver"
    case (400..<500, .accepted): return "the receiver has rejected the event; the store repeats it"
    default: return "the store repeats the event"
    }
  }

  private var unexpected: WebhookCaseAnswer? {
    answers.first { answer in answer.status.map { !testCase.expectation.includes($0) } ?? true }
  }
}
