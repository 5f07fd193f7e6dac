import Foundation
import OnsideAPI
import StoreBase
import StoreMerchants

/// The lines of `onside listen`.
struct ListenOutput: Sendable {
  /// The most characters of a receiver's answer.
  private static let answerLimit = 200

  let isJSON: Bool

  /// Prints the addresses of the store and the receiver, and the secret of the signatures, which is the developer's
  /// own.
  func begin(store: String, receiver: String, secret: WebhookSecret, seed: UInt64?) {
    if isJSON {
      return line(ListenJSON(store: store, forwardTo: receiver, secret: secret.text, seed: seed))
    }
    line("store       \(store)")
    line("forward to  \(receiver)")
    line("secret      \(secret.text)")
    if let seed { line("seed        \(seed)") }
  }

  func show(_ note: FeedListener.Note) {
    switch note {
    case .forwarded(let delivery, let attempt):
      isJSON ? line(ListenJSON(delivery, attempt, at: SystemClock().now())) : line(text(delivery, attempt))
    case .startsOver:
      let text = "The store has lost events after a restore or failover: the feed begins again at its oldest event."
      isJSON ? line(ListenJSON(startsOver: true)) : line(text)
    case .unavailable(let reason, let pause):
      let text = "The feed cannot be read (\(reason)); another request follows in \(Int(pause)) s."
      isJSON ? line(ListenJSON(error: reason)) : line(text)
    }
  }

  /// The time, type, object, status and milliseconds of a delivery.
  private func text(_ delivery: ForwardDelivery<MerchantEventMessage>, _ attempt: WebhookAttempt?) -> String {
    let event = delivery.event
    let subject = "\(event.type.rawValue)  \(event.data.object) \(event.data.objectID) #\(event.data.sequence)"
    var parts = [SystemClock().now().ISO8601Format(), subject]
    guard let attempt else { return (parts + ["dropped"]).joined(separator: "  ") }
    parts += [attempt.status.map { "\($0)" } ?? attempt.outcome.rawValue, "\(attempt.took.milliseconds) ms"]
    if delivery.copy > 1 { parts.append("again") }
    if attempt.outcome != .delivered, !attempt.answer.isEmpty {
      parts.append(String(attempt.answer.prefix(Self.answerLimit)).printable)
    }
    return parts.joined(separator: "  ")
  }

  private func line(_ json: ListenJSON) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(json) else { return }
    line(String(decoding: data, as: UTF8.self))
  }

  private func line(_ text: String) {
    print(text)
    fflush(nil)
  }
}

/// A line of `onside listen --json`: the fields that apply.
private struct ListenJSON: Encodable {
  private enum CodingKeys: String, CodingKey {
    case store, secret, seed, at, id, type, object, sequence, copy, outcome, status, milliseconds, error
    case forwardTo = "forward_to"
    case objectID = "object_id"
    case startsOver = "starts_over"
  }

  var store: String?
  var forwardTo: String?
  var secret: String?
  var seed: UInt64?
  var at: String?
  var id: String?
  var type: String?
  var object: String?
  var objectID: String?
  var sequence: Int64?
  var copy: Int?
  var outcome: String?
  var status: Int?
  var milliseconds: Int64?
  var error: String?
  var startsOver: Bool?
}

extension ListenJSON {
  /// The line of a delivery.
  fileprivate init(_ delivery: ForwardDelivery<MerchantEventMessage>, _ attempt: WebhookAttempt?, at now: Date) {
    let event = delivery.event
    self.init(
      at: now.ISO8601Format(), id: event.id, type: event.type.rawValue, object: event.data.object,
      objectID: event.data.objectID, sequence: event.data.sequence, copy: delivery.copy,
      outcome: attempt?.outcome.rawValue ?? "dropped", status: attempt?.status,
      milliseconds: attempt?.took.milliseconds)
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
