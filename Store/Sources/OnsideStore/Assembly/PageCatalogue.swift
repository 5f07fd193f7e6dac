import StoreAccounts
import StoreAnalytics
import StoreSales
import StoreWeb

/// All pages of the store.
enum PageCatalogue {
  static let all = store + BuiltInProviders.pages

  private static let store: [any Page.Type] = [
    HomePage.self, ShopPage.self, LandingPage.self, PhonePage.self, EmailPage.self, RedeemPage.self, ContinuePage.self,
    ConsentPage.self,
    CodePage.self, RegionPage.self, WalletAddressPage.self, WalletChallengePage.self, LoginMethodsPage.self,
    LoginRefusedPage.self,
    CheckoutPage.self, PendingPage.self, ClosedPage.self, ReceiptPage.self,
    AlreadyOwnedPage.self,
    RenewPlanPage.self,
    PaymentMethodsPage.self, MethodRemovalPage.self, RefundPage.self, SubscriptionPage.self, SubscriptionListPage.self,
    AccountPage.self,
    AccountLoginMethodsPage.self,
    RegionChangePage.self,
    AccountChoicePage.self, AccountDataPage.self,
    AccountDeletedPage.self,
    ProblemPage.self,
  ]
}
