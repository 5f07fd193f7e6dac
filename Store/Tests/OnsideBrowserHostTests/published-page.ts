// A page written and typed for the published interface, which declares window.onside itself.
import type {
  JSEvent, JSPaymentTransaction, JSProduct, JSProductsResponse, JSPurchaseError, JSStorefront, OnsideInitializeError,
  OnsideJSBridge, OnsidePaymentMethodsManagerError, OnsidePaymentTransactionError, OnsideTransactionsRestoreError,
} from './onside';

declare global {
  interface Window {
    onside: OnsideJSBridge;
  }
}

const noAds: JSProduct = {
  productIdentifier: 'no_ads', localizedTitle: 'No ads', localizedDescription: '', price: { value: 4.99, currencyCode: 'EUR' },
  introductoryPrice: { price: { value: 0, currencyCode: 'EUR' }, period: { unit: 'week', numberOfUnits: 1 } },
};
const storefront: JSStorefront = { id: '1', countryCode: 'NL' };
const bought: JSPaymentTransaction = {
  id: '1', payment: { product: noAds }, transactionState: 'purchased', storefront,
};

/** What the page's own tests put in place of the app. */
export class FakeBridge implements OnsideJSBridge {
  onTransactionsUpdated?: (transactions: JSPaymentTransaction[]) => void;
  onTransactionsRemoved?: (transactions: JSPaymentTransaction[]) => void;
  onStorefrontChanged?: (storefront: JSStorefront | null) => void;
  onRestoreCompletedTransactionsFinished?: () => void;
  onRestoreCompletedTransactionsFailedWithError?: (error: OnsideTransactionsRestoreError) => void;
  async initializeOnside(version: 'v1'): Promise<void> { console.log(version); }
  setAppearance(theme: 'light' | 'dark' | 'system'): void { console.log(theme); }
  setShouldForceLocalLoginMethods(force: boolean): void { console.log(force); }
  async setDefaultCountryCodeAssumption(countryCode: string): Promise<void> { console.log(countryCode); }
  trackEvent(event: JSEvent): Promise<void> { return Promise.reject(event); }
  logout(): void {}
  async requestLogin(): Promise<void> {}
  async presentPaymentMethodsManager(): Promise<void> {}
  async getCurrentStorefront(): Promise<JSStorefront | null> { return storefront; }
  async loadProducts(): Promise<JSProductsResponse> { return { products: [noAds], invalidProductIdentifiers: [] }; }
  async purchase(): Promise<void> { this.onTransactionsUpdated?.([bought]); }
  async restoreCompletedTransactions(): Promise<void> { this.onRestoreCompletedTransactionsFinished?.(); }
  async getTransactions(): Promise<JSPaymentTransaction[]> { return [bought]; }
  async finishTransaction(id: string): Promise<void> { console.log(id); }
  async getAttributionMetadata() { return {}; }
  async getSignedInAppsHistory() { return { dataBase64: '' }; }
}

export async function start(fake: boolean): Promise<void> {
  if (fake) window.onside = new FakeBridge();
  const bridge: OnsideJSBridge = window.onside;
  await bridge.initializeOnside('v1').catch((error: OnsideInitializeError) => console.log(error.reason));
  bridge.setAppearance('dark');
  await bridge.setAppearance('light');
  await bridge.logout();
  delete bridge.onStorefrontChanged;
  bridge.onTransactionsUpdated = (transactions) => {
    for (const { id, transactionState, error } of transactions) {
      switch (transactionState) {
        case 'purchased': case 'restored': void bridge.finishTransaction(id); break;
        case 'failed': console.log(error ? why(error) : 'failed'); break;
        case 'purchasing': break;
        default: never(transactionState);
      }
    }
  };
  bridge.shouldContinueTransaction = ({ transaction, storefront: { countryCode } }) =>
    transaction.storefront.countryCode === countryCode;
  bridge.shouldContinueTransactionAfterLogin = async ({ transaction }) => transaction.payment.product.price.value < 10;
  bridge.trackEvent({ name: 'opened', parameters: { tabs: [1, 2] } });
  await bridge.purchase({ productIdentifier: 'no_ads' }).catch((error: JSPurchaseError) => console.log('unknownProduct' in error));
}

/** What a page says of each case; the last branch compiles only if there is no other one. */
const notBought = (error: JSPurchaseError): string => {
  if ('unknownProduct' in error) return 'load first';
  if ('loginDiscarded' in error) return 'not logged in';
  if ('rejectedAfterLogin' in error) return 'declined';
  return never(error);
};
const notShown = (error: OnsidePaymentMethodsManagerError): string => {
  if ('loginDiscarded' in error) return 'not logged in';
  if ('notSupportedInLocalTesting' in error) return 'a test';
  if ('presentationFailed' in error) return 'no window';
  return never(error);
};
export const texts = { notBought, notShown };

/** A React effect: it returns nothing, or a function that undoes it. */
const useEffect = (effect: () => void | (() => void)): void => { effect(); };
export const appear = (): void => {
  useEffect(() => window.onside.setAppearance('dark'));
  useEffect(() => {
    window.onside.onStorefrontChanged = () => {};
    return () => { delete window.onside.onStorefrontChanged; };
  });
};

/** What a test of a page puts in the place of one function. */
export const fakePurchase = (): void => { window.onside.purchase = async () => {}; };

const why = (error: OnsidePaymentTransactionError): string => 'cancelled' in error ? 'cancelled' : 'not shown';
const never = (rest: never): never => { throw new Error(String(rest)); };
