import Dispatch
import Foundation
import Synchronization
import Testing

/// stellar-sdk, in a process beside this one: the same random cases, and each side's answers held against the other's.
@Suite(
  "WAL-9: agreement with stellar-sdk",
  .enabled(if: Peer.python != nil, "Python with stellar-sdk is missing: script/setup"), .timeLimit(.minutes(20)))
struct PeerTests {
  static let count = 10_000

  @Test("10,000 cases of stellar-sdk give its answers here")
  func theirs() throws {
    let lines = try Peer.run(["make", "1", "\(Self.count)"], input: Data())
    #expect(lines.count == Self.count)
    for line in lines {
      let peerCase = try JSONDecoder().decode(PeerCase.self, from: Data(line.utf8))
      #expect(try peerCase.agrees(), "\(line)")
    }
  }

  @Test("10,000 cases of ours give our answers there")
  func ours() throws {
    var maker = PeerCaseMaker(seed: 2)
    var input = Data()
    for number in 0..<Self.count { input += try JSONEncoder().encode(maker.next(number)) + Data("\n".utf8) }
    let lines = try Peer.run(["check"], input: input)
    #expect(lines == ["DONE \(Self.count)"], "\(lines.first ?? "")")
  }

  @Test("the peer says where it does not agree")
  func differs() throws {
    let key = PeerCase.damaged(.init(text: "GA", taken: true))
    let lines = try Peer.run(["check"], input: try JSONEncoder().encode(key))
    #expect(lines.count == 2 && lines[0].hasPrefix("DIFFERS") && lines[1] == "DONE 1")
  }
}

private enum Peer {
  private static let here = URL(filePath: #filePath).deletingLastPathComponent()

  /// The Python that `script/setup` gave the libraries to; nil where it did not.
  static let python = [here.appending(path: "../../.build/python/bin/python").standardized]
    .first { FileManager.default.isExecutableFile(atPath: $0.path()) }

  /// The lines that the program prints. Its input and output are files: no pipe can fill up.
  static func run(_ arguments: [String], input: Data) throws -> [Substring] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, target) = (folder.appending(path: "in"), folder.appending(path: "out"))
    try input.write(to: source)
    try Data().write(to: target)
    let process = Process()
    process.executableURL = python
    process.arguments = [here.appending(path: "Peer/peer.py").path()] + arguments
    process.environment = ["PYTHONDONTWRITEBYTECODE": "1"]
    process.standardInput = try FileHandle(forReadingFrom: source)
    process.standardOutput = try FileHandle(forWritingTo: target)
    try process.run()
    let id = process.processIdentifier
    let isOverdue = Mutex(false)
    let deadline = DispatchWorkItem {
      isOverdue.withLock { $0 = true }
      kill(id, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 540, execute: deadline)
    process.waitUntilExit()
    deadline.cancel()
    try #require(!isOverdue.withLock { $0 }, "stellar-sdk was not done within nine minutes: \(arguments)")
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
  }

  struct Failure: Error { let status: Int32 }
}
