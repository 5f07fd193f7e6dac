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
    let lines = [
      record("a", name: "QUE-1: ends"), record("b", name: "QUE-2: fails"), record("c", name: "QUE-3: crashes"),
      event("testStarted", of: "a"), event("testEnded", of: "a"), event("testStarted", of: "b"),
      #"{"kind":"event","payload":{"kind":"issueRecorded","testID":"b","issue":{"isKnown":false},"messages":[{"symbol":"fail","text":"no"}]}}"#,
      event("testEnded", of: "b"), event("testStarted", of: "c"), "no JSON at all",
    ]
    let file = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let report = ConformanceReport([try TestRun(recorded: [file])], seconds: 1, behaviours: Self.promises)
    #expect(report.rows.map { $0.cells[0].verdict } == ["pass", "FAIL", "FAIL"])
    #expect(report.rows[1].cells[0].notes == ["QUE-2: fails\n  no"])
  }

  private func record(_ id: String, name: String) -> String {
    #"{"kind":"test","payload":{"kind":"function","id":"\#(id)","displayName":"\#(name)"}}"#
  }

  private func event(_ kind: String, of id: String) -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(id)"}}"#
  }
}
