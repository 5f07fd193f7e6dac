package import CoreMetrics
package import StoreBase

/// Times the commits of the database, and counts the writes that share one.
package struct CommitMetrics: Sendable {
  private let duration: Timer
  private let writes: Recorder
  private let outcomes: CountersByLabel

  package init(_ factory: any MetricsFactory) {
    duration = Timer(label: "onside_commit_duration_seconds", dimensions: [], factory: factory)
    writes = Recorder(label: "onside_commit_writes", dimensions: [], aggregate: true, factory: factory)
    outcomes = CountersByLabel("onside_commits_total", by: "outcome", ["committed", "failed"], factory)
  }

  package func count(_ commit: CommitReport) {
    outcomes.increment(commit.isCommitted ? "committed" : "failed")
    guard commit.isCommitted else { return }
    duration.recordNanoseconds(Int64(commit.duration.seconds * 1e9))
    writes.record(commit.writes)
  }
}
