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

  /// Logs a message from the page, with the keys of `MessageFromPage` in OnsideKit.
  func received(_ message: String) {
    guard let items = LoggedMessage.items(message) else { return note("broken", LogText.short(message)) }
    var isBroken = false
    for item in items {
      if let call = item["call"], let name = call["function"] as? String {
        state.withLock { $0.calls[call["id"] as? Int ?? 0] = Started(name: name, date: now()) }
        note("calls", name, LogText.short(call["parameters"] as? String ?? ""))
      } else if let answer = item["answer"] {
        let started = state.withLock { $0.gates.removeValue(forKey: answer["gate"] as? Int ?? 0) }
        note("answers", started?.name ?? "?", answer["value"] as? Bool == false ? "no" : "yes", duration(started))
      } else if ["delivered", "handlers", "ready", "alive"].allSatisfy({ item[$0] == nil }) {
        isBroken = true
      }
    }
    if isBroken { note("broken", LogText.short(message)) }
  }

  /// Logs a message to the page, with the keys of `MessageToPage` in OnsideKit, its events, gates and results.
  func sent(_ message: String) {
    guard let message = LoggedMessage(message) else { return }
    if let error = message.error { note("refused", "\(error["code"] ?? "?"):", "\(error["message"] ?? "")") }
    for result in message.parts("results") { settled(result) }
    for event in message.parts("events") {
      note("event", event["name"] as? String ?? "?", LogText.value(event["argument"], of: ""))
    }
    for gate in message.parts("gates") {
      let name = gate["name"] as? String ?? "?"
      state.withLock { $0.gates[gate["id"] as? Int ?? 0] = Started(name: name, date: now()) }
      note("asks", name, LogText.value(gate["argument"], of: name))
    }
    for gate in message.numbers("withdrawn") {
      let started = state.withLock { $0.gates.removeValue(forKey: gate) }
      note("withdraws", started?.name ?? "?", duration(started))
    }
  }

  private func settled(_ result: [String: Any]) {
    let started = state.withLock { $0.calls.removeValue(forKey: result["id"] as? Int ?? 0) }
    let name = started?.name ?? "?"
    if let rejection = result["rejection"] {
      note("rejects", name, LogText.compact(rejection), duration(started))
    } else if let error = result["error"] as? [String: Any] {
      note("fails", name, "\(error["code"] ?? "?"): \(error["message"] ?? "")", duration(started))
    } else {
      note("returns", name, LogText.value(result["value"], of: name), duration(started))
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
