package import Foundation

/// A case of the conformance run for receivers: requests, and the statuses with which a receiver must answer them.
package struct WebhookCase: Sendable {
  /// The status that each request of a case expects.
  package enum Expectation: String, Sendable {
    /// The receiver accepts the event.
    case accepted = "2xx"
    /// The receiver rejects the request.
    case rejected = "4xx"

    /// Whether a status is the expected one.
    package func includes(_ status: Int) -> Bool {
      switch self {
      case .accepted: (200..<300).contains(status)
      case .rejected: (400..<500).contains(status)
      }
    }
  }

  /// The name of the case, such as `changed body`.
  package let name: String
  package let expectation: Expectation
  /// A Boolean value that indicates whether another answer fails the run.
  package let isRequired: Bool
  package let requests: [WebhookCaseRequest]

  package init(
    name: String, expectation: Expectation, isRequired: Bool = true, requests: [WebhookCaseRequest]
  ) {
    self.name = name
    self.expectation = expectation
    self.isRequired = isRequired
    self.requests = requests
  }
}

/// A request of a case.
package struct WebhookCaseRequest: Sendable, Hashable {
  /// The header `webhook-id`.
  package let id: String
  /// The header `webhook-timestamp`.
  package let timestamp: Date
  /// The header `webhook-signature`.
  package let signature: String
  package var body: [UInt8]
  /// Time between the headers and the body.
  package var pause: Duration = .zero

  package init(id: String, timestamp: Date, signature: String, body: [UInt8]) {
    self.id = id
    self.timestamp = timestamp
    self.signature = signature
    self.body = body
  }
}

/// The answer of a receiver to one request.
package struct WebhookCaseAnswer: Sendable, Hashable {
  /// The status; nil without an answer.
  package let status: Int?
  /// The reason of a missing answer.
  package let failure: String?
  package let took: Duration

  package init(status: Int?, failure: String? = nil, took: Duration) {
    self.status = status
    self.failure = failure
    self.took = took
  }
}
