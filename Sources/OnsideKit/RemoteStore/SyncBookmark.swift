import Foundation

/// How far an account's sync has come: the store's cursor and, when an order was not understood, the cursor before that
/// order, from which another build of the app asks again (QUE-26). Pure.
///
/// The payment queue keeps its text as a cursor like any other.
struct SyncBookmark: Hashable, Sendable {
  /// Where a sync asks from.
  struct Question: Hashable, Sendable {
    /// The store's cursor; nil starts over.
    let cursor: String?
    /// Whether it asks again for what an older build did not understand.
    let isRepeat: Bool
    fileprivate let build: String
  }

  /// The gap that a skipped order leaves.
  private struct Gap: Hashable, Sendable, Codable {
    /// The cursor before the answer with the order; nil when that sync had none.
    var cursor: String?
    /// The build of the app that did not understand it.
    var build: String
  }

  private struct Record: Codable {
    var cursor: String
    var gap: Gap
  }

  private var cursor: String?
  private var gap: Gap?

  /// Reads a text that the queue kept. A text that is no bookmark is a cursor of the store.
  init(_ text: String?) {
    cursor = text
    guard let text, text.hasPrefix("{"), let record = try? JSONDecoder().decode(Record.self, from: Data(text.utf8))
    else { return }
    (cursor, gap) = (record.cursor, record.gap)
  }

  /// What the queue keeps.
  var text: String {
    guard let cursor else { return "" }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let gap, let record = try? encoder.encode(Record(cursor: cursor, gap: gap)) else { return cursor }
    return String(decoding: record, as: UTF8.self)
  }

  /// Where a build of the app asks from.
  func question(for build: String) -> Question {
    if let gap, gap.build != build { return Question(cursor: gap.cursor, isRepeat: true, build: build) }
    return Question(cursor: cursor, isRepeat: false, build: build)
  }

  /// Takes the answer's cursor over.
  /// - Parameter isComplete: whether every order of the answer was understood.
  mutating func advance(to newer: String, after question: Question, isComplete: Bool) {
    let earlier = question.isRepeat ? nil : gap
    gap = earlier ?? (isComplete ? nil : Gap(cursor: question.cursor, build: question.build))
    // A sync that starts over tells of what is paid, not of what has ended: that comes after the cursor that was known.
    if question.isRepeat, question.cursor == nil { return }
    cursor = newer
  }
}
