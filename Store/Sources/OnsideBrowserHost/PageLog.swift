import Foundation
import Synchronization

/// The log of one page.
final class PageLog: Sendable {
  private struct Started {
    var name: String
    var date: Date
  }

  private struct State {
    var calls: [Int: Started] = [:]
    var gates: [Int: Started] = [:]
    var lastCall: (id: Int, name: String) = (0, "?")
  }

  private let tab: Int
  private let now: @Sendable () -> Date
  private let write: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(tab: Int, now: @escaping @Sendable () -> Date, write: @escaping @Sendable (String) -> Void) {
    self.tab = tab
    self.now = now
    self.write = write
  }

  func note(_ kind: String, _ words: String...) {
    let padding = String(repeating: " ", count: max(0, 8 - kind.count))
    let text = words.filter { !$0.isEmpty }.joined(separator: " ")
    write("\(Self.time(now()))  tab \(tab)  \(kind)\(padding)\(text)")
  }

  /// Logs a message of the page: lines, as `PageMessage` in OnsideKit describes them.
  func received(_ message: String) {
    for line in message.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      switch (words.first, words.count) {
      case ("call", 3...):
        begin(Int(words[1]) ?? 0, words[2])
        note("calls", words[2], words.count > 3 ? LetterText.short(words[3]) : "")
      case ("again", 2):
        let (last, count) = (state.withLock { $0.lastCall }, min(Int(words[1]) ?? 0, 10_000))
        for more in 0..<max(0, count) { begin(last.id &+ more &+ 1, last.name) }
        note("calls", last.name, "\(count) more times")
      case ("answer", 3):
        let started = state.withLock { $0.gates.removeValue(forKey: Int(words[1]) ?? 0) }
        note("answers", started?.name ?? "?", words[2] == "false" ? "no" : "yes", duration(started))
      case ("ready", 1), ("alive", 1): break
      default: note("broken", LetterText.short(String(line)))
      }
    }
  }

  private func begin(_ id: Int, _ name: String) {
    state.withLock { state in
      state.calls[id] = Started(name: name, date: now())
      state.lastCall = (id, name)
    }
  }

  /// Logs a message to the page.
  func sent(_ message: String) {
    guard let message = Letter(message) else { return }
    if let error = message.error { note("refused", "\(error["code"] ?? "?"):", "\(error["message"] ?? "")") }
    for result in message.parts("results") {
      let (id, again) = (result["id"] as? Int ?? 0, result["again"] as? Int ?? 0)
      let started = state.withLock { $0.calls.removeValue(forKey: id) }
      if again > 0 { state.withLock { for more in 1...again { $0.calls[id + more] = nil } } }
      let name = started?.name ?? "?"
      if let rejection = result["rejection"] {
        note("rejects", name, LetterText.compact(rejection), duration(started))
      } else if let error = result["error"] as? [String: Any] {
        note("fails", name, "\(error["code"] ?? "?"): \(error["message"] ?? "")", duration(started))
      } else {
        note("returns", name, LetterText.value(result["value"], of: name), duration(started))
      }
    }
    for event in message.parts("events") {
      note("event", event["name"] as? String ?? "?", LetterText.value(event["argument"], of: ""))
    }
    for gate in message.parts("gates") {
      let name = gate["name"] as? String ?? "?"
      state.withLock { $0.gates[gate["id"] as? Int ?? 0] = Started(name: name, date: now()) }
      note("asks", name, LetterText.value(gate["argument"], of: name))
    }
    for gate in message.numbers("withdrawn") {
      let started = state.withLock { $0.gates.removeValue(forKey: gate) }
      note("withdraws", started?.name ?? "?", duration(started))
    }
  }

  private func duration(_ started: Started?) -> String {
    guard let started else { return "" }
    return "(\(Int((now().timeIntervalSince(started.date) * 1000).rounded())) ms)"
  }

  /// `12:01:05`, in the time zone of the machine.
  static func time(_ date: Date) -> String {
    date.formatted(
      .verbatim(
        "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }
}
