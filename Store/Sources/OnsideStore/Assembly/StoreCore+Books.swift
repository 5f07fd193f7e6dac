public import StoreBase
public import StoreSales

extension StoreCore {
  /// Receipts, and their mails.
  public var receipts: ReceiptService {
    ReceiptService(dependencies.base, orders: orders.records, mailsReceipts: dependencies.mailsReceipts)
  }

  /// The comparison of payments with the lists of the payment providers.
  public var paymentReconciler: PaymentReconciler { PaymentReconciler(dependencies.base, providers: providers) }
}

extension Reconciliation {
  /// A reconciliation of the ledger with orders, payments and the books of the built-in payment providers.
  public init(_ connection: any SQLConnection) {
    self.init(connection, providerQueries: BuiltInProviders.reconciliations)
  }
}
