// The published interface, written from the fact sheet of the published API (its section on the bridge). TypeCheckTests
// holds it against onside.d.ts. The types of 1.3, and below what earlier documents declare differently.

export interface JSPrice { value: number; currencyCode: string }
export interface JSPeriod { unit: 'day' | 'week' | 'month' | 'year'; numberOfUnits: number }
export interface JSPricePeriod { price: JSPrice; period: JSPeriod }
export interface JSProduct {
  productIdentifier: string;
  localizedTitle: string;
  localizedDescription: string;
  iconUrl?: string;
  subscriptionGroupIdentifier?: string;
  subscriptionPeriod?: JSPeriod;
  price: JSPrice;
  introductoryPrice?: JSPricePeriod;
  discountedPrice?: JSPricePeriod;
}
export interface JSStorefront { id: string; countryCode: string }
export interface JSPayment { product: JSProduct; appAccountToken?: string }
export type JSPaymentTransactionState = 'purchasing' | 'purchased' | 'restored' | 'failed';
export type OnsidePaymentTransactionError = { cancelled: {} } | { presentationFailed: {} };
export interface JSPaymentTransaction {
  id: string;
  transactionIdentifier?: string;
  originalTransactionIdentifier?: string;
  payment: JSPayment;
  transactionState: JSPaymentTransactionState;
  storefront: JSStorefront;
  error?: OnsidePaymentTransactionError;
}
export interface JSAttributionMetadata { refererUrl?: string }
export interface JSSignedInAppsHistory { dataBase64: string; string?: string }
export interface JSProductsResponse { products: JSProduct[]; invalidProductIdentifiers: string[] }
export type JSEventArrayParameterValue = string | number | boolean;
export type JSEventParameterValue = string | number | boolean | JSEventArrayParameterValue[];
export interface JSEvent { name: string; parameters?: { [key: string]: JSEventParameterValue } }

export type OnsideLoginError = { loginDiscarded: {} };
export type OnsidePaymentMethodsManagerError =
  { loginDiscarded: {} } | { notSupportedInLocalTesting: {} } | { presentationFailed: {} };
export type OnsideProductsRequestError =
  | { cancelled: {} } | { connectionError: {} } | { appNotRegistered: {} } | { invalidProductIdentifier: {} }
  | { serviceUnavailable: {} } | { internalError: {} };
export type JSPurchaseError = { unknownProduct: {} } | { loginDiscarded: {} } | { rejectedAfterLogin: {} };
export type JSFinishTransactionError = { unknownTransaction: {} };
export type OnsidePaymentQueueRequestRestoreError = { loginDiscarded: {} };
export type OnsideTransactionsRestoreError =
  | { cancelled: {} } | { connectionError: {} } | { appNotRegistered: {} } | { serviceUnavailable: {} }
  | { internalError: {} };
export type OnsideAttributionMetadataError =
  { connectionError: {} } | { appNotRegistered: {} } | { serviceUnavailable: {} } | { internalError: {} };
export type OnsideSignedInAppsHistoryRequestError =
  | { notLoggedIn: {} } | { notSupportedInLocalTesting: {} } | { cancelled: {} } | { connectionError: {} }
  | { appNotRegistered: {} } | { serviceUnavailable: {} } | { internalError: {} };
export interface OnsideInitializeError { reason: string }
export interface PontoonBridgeError extends Error {
  name: 'PontoonBridgeError';
  code:
    | 'bridgeDetached' | 'brokenRequest' | 'disallowedFrame' | 'functionNotDefined' | 'invalidArguments'
    | 'parametersNotRepresentable' | 'cannotSerializeResponse';
}

interface Calls {
  initializeOnside(version: 'v1'): Promise<void>;
  requestLogin(): Promise<void>;
  presentPaymentMethodsManager(): Promise<void>;
  getCurrentStorefront(): Promise<JSStorefront | null>;
  loadProducts(request: { productIdentifiers: string[] }): Promise<JSProductsResponse>;
  purchase(request: { productIdentifier: string; appAccountToken?: string }): Promise<void>;
  restoreCompletedTransactions(): Promise<void>;
  getTransactions(): Promise<JSPaymentTransaction[]>;
  finishTransaction(id: string): Promise<void>;
  getAttributionMetadata(): Promise<JSAttributionMetadata>;
  getSignedInAppsHistory(): Promise<JSSignedInAppsHistory>;
}

interface Setters<Result> {
  setAppearance(theme: 'light' | 'dark' | 'system'): Result;
  setShouldForceLocalLoginMethods(force: boolean): Result;
  setDefaultCountryCodeAssumption(countryCode: string): Result;
  trackEvent(event: JSEvent): Result;
  logout(): Result;
}

interface Callbacks {
  onTransactionsUpdated?: (transactions: JSPaymentTransaction[]) => void;
  onTransactionsRemoved?: (transactions: JSPaymentTransaction[]) => void;
  onStorefrontChanged?: (storefront: JSStorefront | null) => void;
  onRestoreCompletedTransactionsFinished?: () => void;
  onRestoreCompletedTransactionsFailedWithError?: (error: OnsideTransactionsRestoreError) => void;
  shouldContinueTransaction?:
    (question: { transaction: JSPaymentTransaction; storefront: JSStorefront }) => boolean | Promise<boolean>;
}

interface NewerCallbacks extends Callbacks {
  shouldContinueTransactionAfterLogin?: (question: { transaction: JSPaymentTransaction }) => boolean | Promise<boolean>;
}

/** Of 1.3: setters return promises, which our pages may await and not chain. */
export interface OnsideJSBridge extends Calls, Setters<Promise<void>>, NewerCallbacks {}

/** Of the documents up to 1.2: setters return nothing. */
export interface EarlierOnsideJSBridge extends Calls, Setters<void>, Callbacks {}
