public import Foundation
import Testing

/// One run of the cases of this library in one column. They are Swift Testing's tests: the same `#expect` everywhere.
public struct TestRun: Sendable {
  /// A case and what came of it.
  public struct Outcome: Sendable {
    /// Its name, which begins with the ids of the promises that it tries.
    public let name: String
    /// What came of it.
    public var verdict: Verdict
    /// How long it took, in seconds.
    public var seconds: Double
  }

  /// The column.
  public let column: Column
  /// The cases in the order of their names.
  public let outcomes: [Outcome]

  /// Whether Swift Testing found no failure: issues of suites and of no test are failures, too.
  public let passed: Bool

  /// A run that was made elsewhere.
  init(column: Column, outcomes: [Outcome], passed: Bool = true) {
    self.column = column
    self.outcomes = outcomes
    self.passed = passed
  }

  /// A run of another process, from the files that `swift test --event-stream-output-path` or this program's
  /// `--event-stream` writes: one JSON record a line. A case of several files is what the last one says: flaky when it
  /// passed there, and failed before.
  public init(in column: Column = .parts, recorded files: [URL]) throws {
    let recorder = try Recorder()
    for file in files {
      for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) { recorder.record(Data(line)) }
    }
    self.column = column
    passed = true
    outcomes = recorder.outcomes
  }

  /// Runs the cases whose names contain a text; all of them without one. A column without such a case has no outcomes,
  /// and throws nothing: another column may have one. The file, if given, gets the event stream of
  /// the run as `swift test --event-stream-output-path` writes it: one JSON record a line.
  public init(in column: Column, filter: String? = nil, eventStream file: URL? = nil) async throws {
    let listed = try Recorder()
    _ = try await Self.enter(Arguments(listTests: true), recorder: listed)
    let chosen = listed.names.filter { id, name in
      filter.map { name.contains($0) } ?? true && column.suite.map { id.contains(".\($0)") } ?? true
    }
    guard !chosen.isEmpty else {
      self.init(column: column, outcomes: [])
      return
    }
    let patterns = chosen.keys.map { "^" + NSRegularExpression.escapedPattern(for: $0) }
    let recorder = try Recorder(file: file)
    let passed = try await Column.$current.withValue(column) {
      try await Self.enter(Arguments(filter: patterns), recorder: recorder)
    }
    self.init(
      column: column, outcomes: recorder.outcomes.filter { chosen.values.contains($0.name) }, passed: passed)
  }

  /// What Swift Testing's entry point is asked; more than this is its own affair.
  private struct Arguments: Encodable {
    var listTests = false
    var filter: [String]?
    /// Says nothing by itself.
    var verbosity = Int.min
  }

  private static func enter(_ arguments: Arguments, recorder: Recorder) async throws -> Bool {
    let entryPoint = unsafeBitCast(testingEntryPoint(), to: EntryPoint.self)
    let bytes = try JSONEncoder().encode(arguments)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
    defer { buffer.deallocate() }
    return try await entryPoint(UnsafeRawBufferPointer(buffer)) { recorder.record(Data($0)) }
  }
}

/// No case of any column that was run has such a name.
public struct NoSuchCase: Error, CustomStringConvertible {
  let filter: String

  /// Throws when a filter has left no case in any of the runs.
  public static func check(_ runs: [TestRun], filter: String?) throws(NoSuchCase) {
    if runs.allSatisfy(\.outcomes.isEmpty) { throw NoSuchCase(filter: filter ?? "") }
  }

  /// What was looked for.
  public var description: String { "No case has “\(filter)” in its name. Try the id of a promise, such as QUE-8." }
}

/// Swift Testing's entry point for tools, ABI version 0: arguments and records are JSON.
private typealias EntryPoint =
  @convention(thin) @Sendable (
    _ arguments: UnsafeRawBufferPointer?, _ record: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
  ) async throws -> Bool

@_silgen_name("swt_abiv0_getEntryPoint")
private func testingEntryPoint() -> UnsafeRawPointer
