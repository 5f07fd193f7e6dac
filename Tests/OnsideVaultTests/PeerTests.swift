import Dispatch
import Foundation
import OnsideVault
import Sodium
import Testing

/// A thousand random rounds each way against an independent library.
@Suite(
  "RFC 9497 against PyPI voprf", .enabled(if: Peer.python != nil, "Python with voprf is missing: script/setup"),
  .timeLimit(.minutes(5)))
struct PeerTests {
  private static let rounds = 1000

  @Test("WAL-5 What the peer evaluates and proves is taken, and the outputs are those of the same key here")
  func peerServes() throws {
    let peer = try Peer()
    let (seed, info) = (random(32), random(10))
    let inputs = try (0..<Self.rounds).map { _ in
      try #require(BlindedInput(SecretBytes(copying: random(.random(in: 1...100)))))
    }
    let answer = try peer.ask(["serve": hex(seed), "info": hex(info), "blinded": inputs.map { hex($0.element) }])
    let key = try #require(VaultKey(seed: seed, info: info, suite: .verifiable))
    let publicKey = try #require(key.publicKey)
    #expect(answer["public"] as? String == hex(publicKey))
    let answers = try #require(answer["answers"] as? [String]).map { bytes($0) }
    #expect(answers.count == Self.rounds)
    for (input, answer) in zip(inputs, answers) {
      let theirs = OPRFEvaluation(element: Array(answer[64...]), proof: Array(answer[..<64]))
      let ours = try key.evaluate(input.element, publicKey: publicKey)
      #expect(ours.element == theirs.element)
      let outputs = try [ours, theirs].map { try input.finalize($0, publicKey: publicKey).withBytes(Array.init) }
      #expect(outputs[0] == outputs[1])
    }
  }

  @Test("WAL-5 The peer takes what is evaluated and proved here, with the same outputs, and no proof of another key")
  func peerAsks() throws {
    let peer = try Peer()
    let key = try #require(VaultKey(seed: random(32)))
    let publicKey = try #require(key.publicKey)
    let inputs = (0..<Self.rounds).map { _ in random(.random(in: 1...100)) }
    let blinded = try #require(try peer.ask(["blind": inputs.map(hex)])["blinded"] as? [String]).map { bytes($0) }
    let answers = try blinded.map { try key.evaluate($0, publicKey: publicKey) }
    let outputs = try peer.finalize(answers, publicKey: publicKey)
    #expect(outputs.count == Self.rounds)
    for (input, output) in zip(inputs, outputs) {
      let own = try #require(BlindedInput(SecretBytes(copying: input)))
      let expected = try own.finalize(try key.evaluate(own.element, publicKey: publicKey), publicKey: publicKey)
      #expect(output == hex(expected.withBytes(Array.init)))
    }
    let other = try #require(VaultKey(seed: random(32))?.publicKey)
    #expect(try peer.finalize(answers, publicKey: other).allSatisfy { $0 == nil })
  }

  private func random(_ count: Int) -> [UInt8] { RandomBytes.system.bytes(count) }
}

/// `Files/peer.py`, asked line by line.
private final class Peer {
  /// The Python that `script/setup` gave the library to; nil where it did not.
  static let python: URL? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let python = root.appending(path: ".build/python")
    let libraries = try? String(contentsOf: python.appending(path: "libraries"), encoding: .utf8)
    return libraries?.contains("voprf==") == true ? python.appending(path: "bin/python") : nil
  }()

  private let id: pid_t
  private let (input, output): (FileHandle, FileHandle)
  private var rest = Data()

  /// With `posix_spawn`: Foundation's `Process` gives a child what another thread has just opened.
  init() throws {
    // A peer that died must not end the tests that write to it.
    signal(SIGPIPE, SIG_IGN)
    let script = try #require(Bundle.module.url(forResource: "peer", withExtension: "py", subdirectory: "Files"))
    var (questions, answers) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
    try #require(pipe(&questions) == 0 && pipe(&answers) == 0)
    (input, output) = (
      FileHandle(fileDescriptor: questions[1], closeOnDealloc: true),
      FileHandle(fileDescriptor: answers[0], closeOnDealloc: true)
    )
    for descriptor in questions + answers { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, questions[0], 0)
    posix_spawn_file_actions_adddup2(&actions, answers[1], 1)
    let python = Self.python?.path() ?? ""
    let words = [strdup(python), strdup(script.path()), nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    try #require(posix_spawn(&child, python, &actions, nil, words, [nil]) == 0)
    id = child
    close(questions[0])
    close(answers[1])
  }

  deinit {
    kill(id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
  }

  /// Ends a peer that takes more than four minutes: nothing else ends the wait for it.
  func ask(_ question: [String: Any]) throws -> [String: Any] {
    let deadline = DispatchWorkItem { [id] in
      _ = kill(id, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 240, execute: deadline)
    defer { deadline.cancel() }
    try input.write(
      contentsOf: JSONSerialization.data(withJSONObject: question) + Data("\n".utf8))
    while !rest.contains(UInt8(ascii: "\n")) {
      let more = output.availableData
      try #require(!more.isEmpty, "the peer ended without an answer, or gave none within four minutes")
      rest += more
    }
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    rest = rest.dropFirst(line.count + 1)
    return try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
  }

  /// The outputs; nil where the peer found the proof wrong.
  func finalize(_ answers: [OPRFEvaluation], publicKey: [UInt8]) throws -> [String?] {
    let texts = answers.map { hex($0.proof + $0.element) }
    let answer = try ask(["finalize": texts, "public": hex(publicKey)])
    return try #require(answer["outputs"] as? [Any]).map { $0 as? String }
  }
}
