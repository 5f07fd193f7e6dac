import Crypto
import Foundation

/// A webhook call that is to be made.
public struct WebhookCall: Sendable {
  let delivery: Int
  /// Where to.
  public let url: String
  /// The event.
  public let body: [UInt8]
  /// The header `Stripe-Signature`.
  public let signature: String
}

extension StripeState {
  /// After how many minutes a call is repeated that was not accepted: three days in all.
  static let pauses: [Double] = [5, 30, 120, 300, 600, 720, 720, 720, 720, 405]

  /// The calls that are due, in the policy's order.
  mutating func dueCalls(at now: Date) -> [WebhookCall] {
    self.now = now
    var due = deliveries.indices.filter { deliveries[$0].due <= now && !deliveries[$0].isSending }
    due.sort { (deliveries[$0].due, deliveries[$0].id) < (deliveries[$1].due, deliveries[$1].id) }
    switch policy.order {
    case .asHappened: break
    case .reversed: due.reverse()
    case .shuffled: shuffle(&due)
    }
    return due.compactMap { index in
      guard let event = events[deliveries[index].event], let endpoint = endpoints[deliveries[index].endpoint] else {
        return nil
      }
      deliveries[index].isSending = true
      let body = json(event).bytes
      return WebhookCall(
        delivery: deliveries[index].id, url: endpoint.url, body: body,
        signature: signature(of: body, endpoint: endpoint))
    }
  }

  /// Notes what became of a call; nil is no answer at all.
  mutating func called(_ delivery: Int, status: Int?) {
    guard let index = deliveries.firstIndex(where: { $0.id == delivery }) else { return }
    deliveries[index].isSending = false
    if let status, (200..<300).contains(status) {
      deliveries.remove(at: index)
    } else if deliveries[index].tries < Self.pauses.count {
      deliveries[index].due = now + Self.pauses[deliveries[index].tries] * 60
      deliveries[index].tries += 1
    } else {
      abandoned.insert(deliveries.remove(at: index).event)
    }
  }

  /// When the next call is due.
  var nextCall: Date? { deliveries.filter { !$0.isSending }.map(\.due).min() }

  /// The header that proves a body: a signature for each secret that is in use, and one of another version.
  private func signature(of body: [UInt8], endpoint: WebhookEndpoint) -> String {
    let time = String(now.stripeTime)
    let signed = Data("\(time).".utf8) + body
    let secrets = endpoint.secrets.filter { $0.end.map { now < $0 } ?? true }
    let codes = secrets.map { secret in
      let key = SymmetricKey(data: Data(secret.value.utf8))
      let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
      return "v1=" + code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    return (["t=\(time)"] + codes + ["v0=\(String(repeating: "0", count: 64))"]).joined(separator: ",")
  }
}
