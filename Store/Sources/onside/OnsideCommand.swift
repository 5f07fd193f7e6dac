import ArgumentParser
import OnsideStore
import StoreBase

/// The store and the tools around its database.
@main
struct OnsideCommand: AsyncParsableCommand {
  /// The program's version, and that of the databases it writes.
  private static let version = "onside 0.1.0-dev, database version \(Migration.all.map(\.number).max() ?? 0)"

  static let configuration = CommandConfiguration(
    commandName: "onside",
    abstract: "A store for what apps sell.",
    discussion: """
      `onside serve` starts a sandbox store in the current folder. The other commands work on its database, a
      file or on PostgreSQL, also while it serves; the store notices within a second. Only `restore`, `migrate` and
      `move` need it stopped.
      """,
    version: version,
    subcommands: [
      Serve.self, Dev.self, Types.self, Import.self, AppCommand.self, OfferingCommand.self, OfferCodeCommand.self,
      KeyCommand.self, SecretCommand.self,
      ClockCommand.self,
      OrderCommand.self, SubscriptionCommand.self, GrantCommand.self, RefundCommand.self, OwedCommand.self,
      ReceiptCommand.self,
      RefundRequestCommand.self,
      DisputeCommand.self,
      PaymentsCommand.self,
      LedgerCommand.self, TaxCommand.self, StatementCommand.self, PayoutCommand.self, OutboxCommand.self,
      SuspendCharges.self, ResumeCharges.self,
      AccountCommand.self, CredentialCommand.self, MerchantCommand.self, APIKeyCommand.self, WebhookCommand.self,
      AuditCommand.self, EventCommand.self, ListenCommand.self, TriggerCommand.self,
      FunnelCommand.self, Backup.self, Restore.self, Migrate.self, Doctor.self, WalletCommand.self,
    ] + postgres)

  /// The commands that a program without PostgreSQL does not have.
  private static var postgres: [any ParsableCommand.Type] {
    #if canImport(PostgresClient)
      [Move.self]
    #else
      []
    #endif
  }
}
