public import Foundation
import Synchronization

/// What tests compare the store's books with.
extension StripeServerDouble {
  /// A payment as the double has it.
  public struct PaymentRecord: Sendable, Hashable {
    /// Its id, `pi_…`.
    public let id: String
    /// When it was made.
    public let created: Date
    /// In the currency's unit as Stripe counts.
    public let amount: Int64
    /// Lower case.
    public let currency: String
    /// As in the API.
    public let status: String
    /// With it a page goes on with the payment.
    public let clientSecret: String
    /// The method of the last try.
    public let method: String?
    /// What the store wrote to it.
    public let metadata: [String: String]
    /// How many tries got money.
    public let successfulCharges: Int
    /// What went back, and did not fail to.
    public let refunded: Int64
    /// What banks have taken for disputes, and not put back.
    public let disputed: Int64
    /// Whether a dispute about it is open.
    public let isContested: Bool
  }

  /// Every payment, the oldest first.
  public var payments: [PaymentRecord] {
    state.withLock { state in
      let succeeded = Dictionary(grouping: state.charges.all.filter { $0.status == "succeeded" }, by: \.payment)
      return state.payments.all.map { payment in
        let charges = succeeded[payment.id] ?? []
        return PaymentRecord(
          id: payment.id, created: payment.created, amount: payment.amount, currency: payment.currency,
          status: payment.status,
          clientSecret: payment.clientSecret, method: payment.method, metadata: payment.metadata,
          successfulCharges: charges.count,
          refunded: charges.reduce(0) { $0 + $1.refunded },
          disputed: state.disputes.all.filter { $0.payment == payment.id && $0.hasMoney }.reduce(0) { $0 + $1.amount },
          isContested: state.disputes.all.contains { $0.payment == payment.id && $0.isOpen })
      }
    }
  }

  /// A setup as the double has it.
  public struct SetupRecord: Sendable, Hashable {
    /// Its id, `seti_…`.
    public let id: String
    /// As in the API.
    public let status: String
    /// With it a page goes on with the setup.
    public let clientSecret: String
    /// The method that was or is being set up.
    public let method: String?
    /// What the store wrote to it.
    public let metadata: [String: String]
  }

  /// Every setup, the oldest first.
  public var setups: [SetupRecord] {
    state.withLock { state in
      state.setups.all.map {
        SetupRecord(
          id: $0.id, status: $0.status, clientSecret: $0.clientSecret, method: $0.method, metadata: $0.metadata)
      }
    }
  }

  /// What the account has, by currency, after fees and before payouts.
  public var balance: [String: Int64] { state.withLock { $0.unpaid } }

  /// The types of all events, the oldest first.
  public var eventTypes: [String] { state.withLock { $0.events.all.map(\.type) } }

  /// The ids of all methods that are saved, the oldest first.
  public var savedMethods: [String] {
    state.withLock { state in state.methods.all.filter { $0.customer != nil }.map(\.id) }
  }

  /// The ids of all customers that are there, the oldest first.
  public var customers: [String] {
    state.withLock { state in state.customers.all.filter { !$0.isDeleted }.map(\.id) }
  }

  /// The ids of all refunds, the oldest first.
  public var refundIDs: [String] { state.withLock { $0.refunds.ids } }

  /// The ids of all disputes, the oldest first.
  public var disputeIDs: [String] { state.withLock { $0.disputes.ids } }
}
