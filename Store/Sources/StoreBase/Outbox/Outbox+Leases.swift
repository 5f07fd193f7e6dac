import Foundation
import Synchronization

/// The leases of this process. A row that is not in `held` any more is neither renewed nor delivered; it comes back
/// when its lease ends.
extension Outbox {
  /// Claims due rows of a kind. Returns none while the kind is suspended.
  func claim(_ kind: String, limit: Int) async throws -> [OutboxDelivery] {
    let (now, machineNow) = (dependencies.clock.now(), dependencies.clock.unmovedNow())
    let isDue = try await dependencies.database.read(at: now) { [records, isSuspended] transaction in
      guard try records.isDue(kind, machineNow: machineNow, in: transaction) else { return false }
      return try !isSuspended(kind, transaction)
    }
    // What has nothing to take writes nothing.
    guard isDue else { return [] }
    let lease = lease()
    let batch = await write { [records] in
      try records.claim(kind, limit: limit, for: lease, machineNow: machineNow, in: $0)
    }
    hold(batch ?? [])
    return batch ?? []
  }

  /// Keeps the rows' leases from running out.
  func hold(_ deliveries: [OutboxDelivery]) {
    state.withLock { state in for delivery in deliveries { state.held[delivery.claim] = delivery.until } }
  }

  /// Renews no more.
  func forget(_ claims: [OutboxClaim]) {
    state.withLock { state in for claim in claims { state.held[claim] = nil } }
  }

  /// Gives rows back that were not delivered. While nothing can be written they come back by themselves.
  func release(_ claims: [OutboxClaim]) async {
    forget(claims)
    guard !isPaused else { return }
    _ = await write { [records] transaction in for claim in claims { try records.release(claim, in: transaction) } }
  }

  /// Renews the leases of rows whose delivery takes long, or waits for that of others.
  func renewLeases() async {
    let now = dependencies.clock.unmovedNow()
    let limit = now + (OutboxLease.length - OutboxLease.renewalAge)
    let old = state.withLock { state in state.held.filter { $0.value <= limit }.map(\.key) }
    guard !old.isEmpty else { return }
    let until = now + OutboxLease.length
    let kept = await write { [records] transaction in
      try old.filter { try records.renew($0, until: until, in: transaction) }
    }
    guard let kept else { return }
    state.withLock { state in
      // What was delivered meanwhile is held no more.
      for claim in old where state.held[claim] != nil { state.held[claim] = kept.contains(claim) ? until : nil }
    }
  }
}
