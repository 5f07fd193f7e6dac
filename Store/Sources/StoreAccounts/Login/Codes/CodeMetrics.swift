package import Metrics

/// Counts what becomes of codes, without whose they are: what an attack has cost so far, and which limit holds it.
package struct CodeMetrics: Sendable {
  private let sent: Counter
  private let limited: [CodeLimitReached.Limit: Counter]
  private let tries: [String: Counter]

  package init(_ factory: any MetricsFactory) {
    sent = Counter(label: "onside_codes_sent_total", dimensions: [], factory: factory)
    limited = Dictionary(
      uniqueKeysWithValues: CodeLimitReached.Limit.allCases.map {
        ($0, Counter(label: "onside_codes_refused_total", dimensions: [("limit", $0.rawValue)], factory: factory))
      })
    tries = Dictionary(
      uniqueKeysWithValues: ["right", "wrong", "expired", "spent", "limited"].map {
        ($0, Counter(label: "onside_code_tries_total", dimensions: [("outcome", $0)], factory: factory))
      })
  }

  func count(_ outcome: LoginService.SendOutcome) {
    switch outcome {
    case .sent: sent.increment()
    case .repeated: break
    case .limited(let reached): limited[reached.limit]?.increment()
    }
  }

  func count(_ outcome: CodeOutcome) {
    let name =
      switch outcome {
      case .right: "right"
      case .wrong: "wrong"
      case .expired: "expired"
      case .spent: "spent"
      case .limited: "limited"
      }
    tries[name]?.increment()
  }
}
