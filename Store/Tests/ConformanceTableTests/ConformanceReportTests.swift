import Foundation
import Testing

@testable import ConformanceTable

@Suite("Conformance tables", .timeLimit(.minutes(5)))
struct ConformanceReportTests {
  private static let promises = Behaviour.parse(
    """
    ## QUE: payment queue
    - QUE-1 Nothing is processed.
    - QUE-2 Observers are <weak>.
    - QUE-3 A new observer.
    - nothing numbered
    """)

  private static func report(_ outcomes: [(String, Verdict)]) -> ConformanceReport {
    let run = TestRun(
      column: .store, outcomes: outcomes.map { TestRun.Outcome(name: $0.0, verdict: $0.1, seconds: 0.1) })
    return ConformanceReport([run], seconds: 1.5, behaviours: promises)
  }

  @Test("the document's promises are found by their numbers")
  func parsing() {
    #expect(Self.promises.map(\.id) == ["QUE-1", "QUE-2", "QUE-3"])
    #expect(Self.promises.first?.promise == "Nothing is processed.")
    #expect(Behaviour.all.count > 100)
    #expect(Set(Behaviour.all.map(\.id)).count == Behaviour.all.count)
  }

  @Test("a case counts for every id before its colon and for none after it; without one, for those that it begins with")
  func ids() {
    #expect(Behaviour.ids(inName: "QUE-1, QUE-2: as QUE-3 says") == ["QUE-1", "QUE-2"])
    #expect(Behaviour.ids(inName: "no id at all").isEmpty)
    #expect(Behaviour.ids(inName: "QUE-1, QUE-2 As QUE-3 says") == ["QUE-1", "QUE-2"])
    #expect(Behaviour.ids(inName: "Like QUE-3").isEmpty)
  }

  @Test("one failure decides, then one pass, then the reasons, then nothing")
  func verdicts() {
    #expect(Verdict(of: [.pass, .fail(["a"]), .fail(["b"])]) == .fail(["a", "b"]))
    #expect(Verdict(of: [.notApplicable("x"), .pass]) == .pass)
    #expect(Verdict(of: [.notApplicable("y"), .notApplicable("x"), .notApplicable("y")]) == .notApplicable("x; y"))
    #expect(Verdict(of: []) == .noCase)
  }

  @Test("a filter that one column has no case for is an error only when no other column has one")
  func filtered() throws {
    let empty = TestRun(column: .local, outcomes: [])
    let run = TestRun(column: .store, outcomes: [TestRun.Outcome(name: "QUE-1: a", verdict: .pass, seconds: 0.1)])
    try NoSuchCase.check([empty, run], filter: "QUE-1")
    #expect(throws: NoSuchCase.self) { try NoSuchCase.check([empty, empty], filter: "QUE-1") }
    #expect(ConformanceReport([empty, run], seconds: 1, behaviours: Self.promises).isClean)
  }

  @Test("a clean report says so, and counts the promises and the cases that were tried")
  func clean() {
    let report = Self.report([("QUE-1: a", .pass), ("QUE-1: b", .pass), ("QUE-2: c", .notApplicable("no network"))])
    #expect(report.isClean)
    #expect(report.covered == ["QUE-1"])
    #expect(report.summary == "1 of 3 ids covered, 2 cases in 1.5 s: no failure")
    #expect(report.text(isWhole: true).contains("S: no network (QUE-2)"))
    #expect(report.text(isWhole: true).contains("No case yet: QUE-3"))
  }

  @Test("a failure stands in the table, in the JSON and on the page, which escapes it")
  func failing() throws {
    let report = Self.report([("QUE-2: c", .fail(["1 < 2 is not so"]))])
    #expect(!report.isClean)
    #expect(report.text(isWhole: true).contains("FAIL QUE-2 in S: 1 < 2 is not so"))
    #expect(report.summary.hasSuffix("FAILED"))
    let json = try JSONSerialization.jsonObject(with: report.json()) as? [String: Any]
    #expect((json?["rows"] as? [[String: Any]])?.count == 3)
    let page = try report.html()
    #expect(page.contains("1 &lt; 2 is not so"))
    #expect(page.contains("Observers are &lt;weak&gt;."))
  }

  @Test("records of swift test make a column; a case that failed or never ended has failed")
  func records() throws {
    let names = [
      record("a", name: "QUE-1: ends"), record("b", name: "QUE-2: fails"), record("c", name: "QUE-3: crashes"),
    ]
    let events = success(of: "a") + failure(of: "b") + [event("testStarted", of: "c"), "no JSON at all"]
    let report = try Self.report(recorded: [names + events])
    #expect(report.rows.map { $0.cells[0].verdict } == ["pass", "FAIL", "FAIL"])
    #expect(report.rows[1].cells[0].notes == ["QUE-2: fails\n  no"])
  }

  @Test("a case that failed or crashed, and passes in a later file, is flaky; one that fails again has failed")
  func retried() throws {
    let names = [
      record("a", name: "QUE-1: fails"), record("b", name: "QUE-2: crashes"), record("c", name: "QUE-3: is bad"),
    ]
    let (first, second) = (
      names + failure(of: "a") + [event("testStarted", of: "b")] + failure(of: "c"),
      names + success(of: "a") + success(of: "b") + failure(of: "c")
    )
    let report = try Self.report(recorded: [first, second])
    #expect(report.rows.map { $0.cells[0].verdict } == ["flaky", "flaky", "FAIL"])
    #expect(report.covered == ["QUE-1", "QUE-2"] && report.summary.hasSuffix("FAILED"))
    let text = report.text(isWhole: true)
    #expect(text.contains("FLAKY QUE-1 in P: QUE-1: fails\n  no\n  tried once more: passed"))
    #expect(text.contains("FLAKY QUE-2 in P: QUE-2: crashes\n  it never ended"))
    let mended = try Self.report(recorded: [first, names + ["a", "b", "c"].flatMap(success)])
    #expect(mended.isClean && mended.rows.allSatisfy { $0.cells[0].verdict == "flaky" })
    let isClean = try Self.report(recorded: [names + success(of: "a"), [event("testStarted", of: "a")]]).isClean
    #expect(isClean == false)
    let skipped = try Self.report(recorded: [first, names + [event("testSkipped", of: "a")]])
    #expect(skipped.rows[0].cells[0].verdict == "FAIL")
  }

  /// The table of a run whose records are in these files.
  private static func report(recorded files: [[String]]) throws -> ConformanceReport {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try files.enumerated().map { number, lines in
      let file = folder.appending(path: "\(number).jsonl")
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      return file
    }
    return ConformanceReport([try TestRun(in: .postgres, recorded: files)], seconds: 1, behaviours: promises)
  }

  private func success(of id: String) -> [String] { [event("testStarted", of: id), event("testEnded", of: id)] }

  private func failure(of id: String) -> [String] {
    [
      event("testStarted", of: id),
      #"{"kind":"event","payload":{"kind":"issueRecorded","testID":"\#(id)","issue":{"isKnown":false},"messages":[{"symbol":"fail","text":"no"}]}}"#,
      event("testEnded", of: id),
    ]
  }

  private func record(_ id: String, name: String) -> String {
    #"{"kind":"test","payload":{"kind":"function","id":"\#(id)","displayName":"\#(name)"}}"#
  }

  private func event(_ kind: String, of id: String) -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(id)"}}"#
  }
}
