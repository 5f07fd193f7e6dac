import Foundation
import Synchronization

/// Puts the records of a run together.
final class Recorder: Sendable {
  private struct State {
    var names: [String: String] = [:]
    var outcomes: [String: TestRun.Outcome] = [:]
    var begun: [String: Double] = [:]
    var ended: Set<String> = []
    /// What was wrong with a case before it was tried again.
    var first: [String: [String]] = [:]

    /// What has come of a case by now. One that never ended, as in a process that crashed, has failed.
    func verdict(on id: String) -> Verdict? {
      guard let outcome = outcomes[id], outcome.verdict == .pass else { return outcomes[id]?.verdict }
      guard ended.contains(id) else { return .fail(["\(outcome.name)\n  it never ended"]) }
      return first[id].map { .flaky($0) } ?? .pass
    }

    /// A case begins, perhaps once more.
    mutating func begin(_ id: String, name: String, at now: Double) {
      if case .fail(let lines) = verdict(on: id) { first[id] = lines }
      begun[id] = now
      ended.remove(id)
      outcomes[id] = TestRun.Outcome(name: name, verdict: .pass, seconds: 0)
    }
  }

  private let state = Mutex(State())
  private let file: FileHandle?

  /// A recorder that also writes each record as a line of a file, made anew.
  init(file: URL? = nil) throws {
    guard let file else {
      self.file = nil
      return
    }
    try Data().write(to: file)
    self.file = try FileHandle(forWritingTo: file)
  }

  var names: [String: String] { state.withLock { $0.names } }

  /// What came of each case.
  var outcomes: [TestRun.Outcome] {
    state.withLock { state in
      state.outcomes.map { id, outcome in
        var outcome = outcome
        outcome.verdict = state.verdict(on: id) ?? outcome.verdict
        return outcome
      }.sorted { $0.name < $1.name }
    }
  }

  func record(_ json: Data) {
    state.withLock { state in
      // A disk that is full loses the copy; the verdicts are in memory.
      try? file?.write(contentsOf: json + Data("\n".utf8))
      guard let event = try? JSONDecoder().decode(TestEvent.self, from: json) else { return }
      if let announced = event.announcedCase { state.names[announced.id] = announced.name }
      guard let id = event.payload.testID, let name = state.names[id] else { return }
      let now = event.payload.instant?.absolute ?? 0
      switch event.payload.kind {
      case "testStarted": state.begin(id, name: name, at: now)
      case "testSkipped":
        // What has failed before, and cannot be tried again, has failed.
        if case .fail = state.verdict(on: id) { break }
        state.outcomes[id] = TestRun.Outcome(name: name, verdict: .notApplicable(event.skipReason), seconds: 0)
      case "issueRecorded" where event.payload.issue?.isKnown == false:
        let lines = if case .fail(let lines) = state.outcomes[id]?.verdict { lines } else { [String]() }
        state.outcomes[id]?.verdict = .fail(lines + ["\(name)\n  \(event.text)"])
      case "testEnded":
        state.ended.insert(id)
        state.outcomes[id]?.seconds = now - (state.begun[id] ?? now)
      default: break
      }
    }
  }
}
