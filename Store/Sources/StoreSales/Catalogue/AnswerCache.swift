import NIOCore
import Synchronization

/// Encoded answers by question. The cache has two generations, each with a limit of answers and bytes. When the younger
/// one is full, the older one is dropped.
final class AnswerCache: Sendable {
  private struct State {
    var young: [String: ByteBuffer] = [:]
    var old: [String: ByteBuffer] = [:]
    var youngBytes = 0
    var revision = 0
  }

  private let countLimit: Int
  private let byteLimit: Int
  private let state = Mutex(State())

  init(countLimit: Int = 2_000, byteLimit: Int = 16 * 1024 * 1024) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
  }

  /// The revision, which each removal of all answers raises. An answer of an earlier revision is not stored.
  var revision: Int { state.withLock { $0.revision } }

  /// Number of stored answers.
  var count: Int { state.withLock { $0.young.count + $0.old.count } }

  func answer(to question: String) -> ByteBuffer? {
    state.withLock { state in
      if let answer = state.young[question] { return answer }
      guard let answer = state.old[question] else { return nil }
      insert(answer, question: question, state: &state)
      return answer
    }
  }

  /// Stores an answer that was made at a revision.
  func store(_ answer: ByteBuffer, for question: String, revision: Int) {
    state.withLock { state in
      guard revision == state.revision else { return }
      insert(answer, question: question, state: &state)
    }
  }

  func removeAll() {
    state.withLock { state in state = State(revision: state.revision + 1) }
  }

  private func insert(_ answer: ByteBuffer, question: String, state: inout State) {
    let size = answer.readableBytes + question.utf8.count
    guard size <= byteLimit / 4 else { return }
    if state.young.count >= countLimit || state.youngBytes + size > byteLimit {
      state.old = state.young
      state.young = [:]
      state.youngBytes = 0
    }
    if state.young.updateValue(answer, forKey: question) == nil { state.youngBytes += size }
  }
}
