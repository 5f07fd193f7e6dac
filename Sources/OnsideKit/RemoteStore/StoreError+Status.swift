import Foundation
import OnsideAPI
import OnsideCommerce

extension StoreError {
  /// What an unsuccessful answer means: by its status, and where that leaves a choice by the problem's code (RFC 9457).
  init(_ answer: HTTPAnswer, of path: String) {
    let problem = try? WireCoding.decoder().decode(ProblemDetails.self, from: answer.body)
    switch answer.status {
    case 401: self = .notSignedIn
    case 404: self = problem?.code == .notFound ? .notFound : .appNotRegistered
    case 409:
      if problem?.code == .storefrontChanged, let country = problem?.country.flatMap(CountryCode.init(alpha2:)) {
        self = .storefrontChanged(country)
      } else if problem?.code == .requestInProgress {
        self = .serviceUnavailable
      } else {
        self = .refused(problem?.code ?? .invalidRequest)
      }
    case 403: self = .refused(problem?.code ?? .forbidden)
    case 422: self = .refused(problem?.code ?? .invalidRequest)
    // 408: the request's body did not reach the store in time, so that the store did nothing.
    case 408, 429, 500...599: self = .serviceUnavailable
    default:
      let told = problem.map { "\($0.code): \($0.detail ?? $0.title)" } ?? "no problem details"
      self = .internalError("expected success from \(path), got status \(answer.status) (\(told))")
    }
  }
}
