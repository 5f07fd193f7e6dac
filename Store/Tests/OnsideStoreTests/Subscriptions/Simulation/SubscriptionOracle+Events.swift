import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// The events of subscriptions.
extension SubscriptionOracle {
  /// The events of a subscription lead to its stored state, and their sequence has no gap.
  func eventFaults(of customer: Customer) async throws -> [String] {
    let events = try await world.paid.store.events(of: "\(customer.subject)/plans", kind: .subscription)
    var replay = SubscriptionReplay()
    for event in events {
      let object = try WireCoding.decoder().decode(SubscriptionMessage.self, from: Data(event.data.utf8))
      replay.take(event.note, willRenew: object.willRenew)
    }
    var faults = replay.faults.map { "has an event \($0)" }
    let sequences = events.map(\.sequence)
    if sequences != events.indices.map({ Int64($0) + 1 }) { faults.append("has events \(sequences)") }
    guard let machine = try await world.subscription(of: customer)?.machine else {
      return events.isEmpty ? faults : faults + ["has events without a subscription"]
    }
    let (state, types) = (SubscriptionStateName(machine.stage), events.map(\.note.text))
    if replay.state != state { faults.append("is \(state.rawValue) after \(types)") }
    if machine.isSubscribed, replay.renews != machine.autoRenews {
      faults.append("renews: \(machine.autoRenews), after \(types)")
    }
    return faults
  }
}
