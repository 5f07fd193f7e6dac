import StoreAccounts
import StoreBase
public import StoreSales
import StoreWeb

extension StoreCore {
  /// The accounts.
  public var accounts: AccountService {
    AccountService(
      dependencies.base, orders: orders, providers: providers, sessions: logins.sessions, changes: changes)
  }

  /// The sessions of apps: their access and refresh tokens.
  var sessions: SessionService {
    SessionService(dependencies.base, accessToken: accessToken, revokedSessions: revokedSessions)
  }

  /// Logins with a wallet; nil for a configuration without them.
  var wallet: WalletLogin? {
    WalletLogin(dependencies.configuration.wallet, dependencies.base, address: address, secrets: secrets)
  }

  /// The data export of accounts.
  var accountExport: AccountExport {
    AccountExport(dependencies.base, address: address, providerTables: BuiltInProviders.exports)
  }
}
