import NIOCore
import Synchronization

/// Encoded answers by question. It holds at most twice so many answers and bytes as one generation may: when one is
/// full, the older one is forgotten.
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

  /// Changes whenever everything is forgotten: an answer made before must not be kept after.
  var revision: Int { state.withLock { $0.revision } }

  /// How many answers are held.
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
