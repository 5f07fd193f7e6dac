// window.onside: purchases from a web page. Written from the tables of the SDK.

export type JSTheme = 'light' | 'dark' | 'system';

export interface JSPrice {
  value: number;
  currencyCode: string;
  /** As a person of that storefront reads it. An addition to the published interface. */
  formatted?: string;
}

export interface JSPeriod {
  unit: 'day' | 'week' | 'month' | 'year';
  numberOfUnits: number;
}

export interface JSPricePeriod {
  price: JSPrice;
  period: JSPeriod;
  /** FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT. An addition to the published interface. */
  paymentMode?: string;
  /** How many periods the offer lasts. An addition to the published interface. */
  numberOfPeriods?: number;
}

/** `kind` is INTRODUCTORY, WIN_BACK, PROMOTIONAL or a later one. An addition to the published interface. */
export interface JSProductOffer {
  offerIdentifier: string;
  kind: string;
  terms: JSPricePeriod;
}

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
  /** CONSUMABLE, NON_CONSUMABLE, NON_RENEWING_SUBSCRIPTION or AUTO_RENEWABLE_SUBSCRIPTION. An addition to the published interface. */
  productType?: string;
  /** Those that the account may have, the best first. An addition to the published interface. */
  offers?: JSProductOffer[];
}

export interface JSProductsResponse {
  products: JSProduct[];
  invalidProductIdentifiers: string[];
}

/** A named group of products. An addition to the published interface. */
export interface JSOffering {
  id: string;
  metadata: { [key: string]: string };
  products: JSProduct[];
}

/** `current` is the id of the one to be shown; `date` is when the store told them. An addition. */
export interface JSOfferings {
  current?: string;
  offerings: JSOffering[];
  date: string;
}

/** The id is an opaque handle for this launch; never keep it. */
export interface JSStorefront {
  id: string;
  countryCode: string;
}

/** A promotional offer needs the signature of the app's server. An addition to the published interface. */
export interface JSPaymentOffer {
  offerIdentifier: string;
  signature?: string;
}

export interface JSPurchaseRequest {
  productIdentifier: string;
  appAccountToken?: string;
  /** 1 by default; 1 to 1000 for a consumable. Others reject with OnsideBridgeError invalidArguments. An addition to the published interface. */
  quantity?: number;
  /** Without one the price is the regular or introductory one. An addition to the published interface. */
  offer?: JSPaymentOffer;
}

export interface JSPayment {
  product: JSProduct;
  appAccountToken?: string;
  /** The number of units, which the page delivers; missing means 1. An addition to the published interface. */
  quantity?: number;
  /** The offer that it is made with. An addition to the published interface. */
  offer?: JSPaymentOffer;
}

export type JSPaymentTransactionState = 'purchasing' | 'purchased' | 'restored' | 'failed';

/** Identify a transaction by its id. */
export interface JSPaymentTransaction {
  id: string;
  transactionIdentifier?: string;
  originalTransactionIdentifier?: string;
  payment: JSPayment;
  transactionState: JSPaymentTransactionState;
  storefront: JSStorefront;
  error?: OnsidePaymentTransactionError;
  /** What was in the way when the error is presentationFailed: offline, notAvailable, or another code. An addition to the published interface. */
  failureCode?: OnsideBridgeErrorCode;
  /** Why it is delivered: new, redelivered, restored, renewed, elsewhere, or a later one. A consumable comes on the device that ordered it, on another only after that one was away for minutes: let your server grant by transactionIdentifier. An addition to the published interface. */
  deliveryReason?: string;
  /** When it was paid, such as 2027-01-15T08:00:00Z. An addition to the published interface. */
  purchaseDate?: string;
  /** When the subscription period that it paid for ends. An addition to the published interface. */
  expirationDate?: string;
  /** When it was refunded or revoked: do not deliver it, and take away what it gave. An addition to the published interface. */
  revocationDate?: string;
  /** The store's signed record of this purchase, a compact JWS for your server. An addition to the published interface. */
  signedPurchase?: string;
}

/** A lasting product, or the last paid period of a subscription. An addition to the published interface. */
export interface JSEntitlement {
  productIdentifier: string;
  productType: string;
  subscriptionGroupIdentifier?: string;
  transactionIdentifier: string;
  originalTransactionIdentifier: string;
  isActive: boolean;
  purchaseDate: string;
  expirationDate?: string;
  gracePeriodExpirationDate?: string;
  revocationDate?: string;
  willAutoRenew?: boolean;
  appAccountToken?: string;
}

/** An offer that the account may have now. An addition to the published interface. */
export interface JSAvailableOffer {
  productIdentifier: string;
  offerIdentifier: string;
}

/** The account's subscription in a group; state is NONE, SUBSCRIBED, IN_GRACE_PERIOD, IN_BILLING_RETRY, PAUSED, EXPIRED, REVOKED, or a later one. An addition to the published interface. */
export interface JSSubscriptionStatus {
  groupIdentifier: string;
  state: string;
  productIdentifier?: string;
  expirationDate?: string;
  gracePeriodExpirationDate?: string;
  willAutoRenew: boolean;
  nextProductIdentifier?: string;
  nextPrice?: JSPrice;
  pausedUntil?: string;
  offers: JSAvailableOffer[];
}

export interface JSAttributionMetadata {
  refererUrl?: string;
}

export interface JSSignedInAppsHistory {
  dataBase64: string;
  string?: string;
}

export type JSEventArrayParameterValue = string | number | boolean;

export type JSEventParameterValue = string | number | boolean | JSEventArrayParameterValue[];

/** The names purchaseCompleted and subscriptionStarted are predefined. */
export interface JSEvent {
  name: string;
  parameters?: { [key: string]: JSEventParameterValue };
}

/** What initializeOnside may reject with in other implementations; in this one it never does. */
export interface OnsideInitializeError {
  reason: string;
}

export type OnsideLoginError = { loginDiscarded: {} };

export type OnsidePaymentMethodsManagerError =
  | { loginDiscarded: {} }
  | { notSupportedInLocalTesting: {} }
  | { presentationFailed: {} };

export type OnsideRefundRequestError =
  | { loginDiscarded: {} }
  | { notSupportedInLocalTesting: {} }
  | { purchaseNotFound: {} }
  | { presentationFailed: {} };

export type OnsideProductsRequestError =
  | { cancelled: {} }
  | { connectionError: {} }
  | { appNotRegistered: {} }
  | { invalidProductIdentifier: {} }
  | { serviceUnavailable: {} }
  | { internalError: {} };

export type JSPurchaseError =
  | { unknownProduct: {} }
  | { loginDiscarded: {} }
  | { rejectedAfterLogin: {} };

export type JSFinishTransactionError = { unknownTransaction: {} };

export type OnsidePaymentTransactionError = { cancelled: {} } | { presentationFailed: {} };

export type OnsidePaymentQueueRequestRestoreError = { loginDiscarded: {} };

export type OnsideTransactionsRestoreError =
  | { cancelled: {} }
  | { connectionError: {} }
  | { appNotRegistered: {} }
  | { serviceUnavailable: {} }
  | { internalError: {} };

export type OnsideAttributionMetadataError =
  | { connectionError: {} }
  | { appNotRegistered: {} }
  | { serviceUnavailable: {} }
  | { internalError: {} };

export type OnsideSignedInAppsHistoryRequestError =
  | { notLoggedIn: {} }
  | { notSupportedInLocalTesting: {} }
  | { cancelled: {} }
  | { connectionError: {} }
  | { appNotRegistered: {} }
  | { serviceUnavailable: {} }
  | { internalError: {} };

export type OnsideBridgeErrorCode =
  | 'bridgeDetached'
  | 'brokenRequest'
  | 'disallowedFrame'
  | 'functionNotDefined'
  | 'invalidArguments'
  | 'parametersNotRepresentable'
  | 'cannotSerializeResponse'
  | 'deadlineExceeded'
  | 'offline'
  | 'serviceUnavailable'
  | 'notAvailable'
  | 'presentationFailed'
  | 'storageFull'
  | 'storageInUse'
  | 'storageUnavailable'
  | 'internalError';

/** What a call rejects with that did not reach the SDK, or whose result did not reach the page. */
export interface OnsideBridgeError extends Error {
  readonly name: 'OnsideBridgeError';
  readonly code: OnsideBridgeErrorCode;
}

/** The same error as other implementations name it. This one raises OnsideBridgeError. */
export interface PontoonBridgeError extends Error {
  readonly name: 'PontoonBridgeError';
  readonly code:
    | 'bridgeDetached' | 'brokenRequest' | 'disallowedFrame' | 'functionNotDefined' | 'invalidArguments'
    | 'parametersNotRepresentable' | 'cannotSerializeResponse';
}

/**
 * The type of window.onside. Errors of the SDK are `{ caseName: {} }`: test with `'caseName' in error`. All else is an
 * OnsideBridgeError.
 */
export interface OnsideJSBridge {
  /**
   * Says that the page is ready: events that have waited follow. Optional; may be called again.
   */
  initializeOnside: (version: 'v1') => Promise<void>;
  /**
   * Sets the theme of the screens that are shown from now on.
   */
  setAppearance: (theme: JSTheme) => void;
  /**
   * Whether logins stay with the store's own methods, without a hand-over to another app.
   */
  setShouldForceLocalLoginMethods: (force: boolean) => void;
  /**
   * The user's likely country (ISO 3166-1 alpha-2) while no user is logged in; '' clears it.
   */
  setDefaultCountryCodeAssumption: (countryCode: string) => void;
  /**
   * The app's own name for its user, which purchases and redeemed codes from now on carry unless a purchase has its own; '' clears it. At most 512 bytes of UTF-8.
   * An addition to the published interface.
   */
  setAppAccountToken?: (appAccountToken: string) => void;
  /**
   * Reports that something happened.
   */
  trackEvent: (event: JSEvent) => void;
  /**
   * Logs out at once, also without a network.
   */
  logout: () => void;
  /**
   * Logs in, unless a user is logged in.
   * Rejects with {@link OnsideLoginError}.
   */
  requestLogin: () => Promise<void>;
  /**
   * Gives up a login that is under way: every call that waits for it hears loginDiscarded.
   * An addition to the published interface.
   */
  cancelLogin?: () => void;
  /**
   * Shows the user's payment methods; logs in first if need be. Fulfilled when the screen is closed.
   * Rejects with {@link OnsidePaymentMethodsManagerError}.
   */
  presentPaymentMethodsManager: () => Promise<void>;
  /**
   * Shows the page where the user manages subscriptions: the one of a group, or all of this app; logs in first if need be. Fulfilled when the screen is closed.
   * Rejects with {@link OnsideLoginError}.
   * An addition to the published interface.
   */
  presentSubscriptionsManager?: (groupIdentifier?: string) => Promise<void>;
  /**
   * Shows the page where the user redeems a code of an offer; logs in first if need be. Fulfilled when the screen is closed; what was redeemed comes as a transaction.
   * Rejects with {@link OnsideLoginError}.
   * An addition to the published interface.
   */
  presentCodeRedemption?: () => Promise<void>;
  /**
   * Shows the page where the user asks for a refund of a purchase. Fulfilled when the screen is closed.
   * Rejects with {@link OnsideRefundRequestError}.
   * An addition to the published interface.
   */
  presentRefundRequest?: (transactionIdentifier: string) => Promise<void>;
  /**
   * The account's region; null while no user is logged in.
   */
  getCurrentStorefront: () => Promise<JSStorefront | null>;
  /**
   * Loads products with their prices; only what was loaded can be bought.
   * Rejects with {@link OnsideProductsRequestError}.
   */
  loadProducts: (request: { productIdentifiers: string[] }) => Promise<JSProductsResponse>;
  /**
   * Starts a purchase; logs in first if need be. Fulfilled when it has started, never because it was paid.
   * Rejects with {@link JSPurchaseError}.
   */
  purchase: (request: JSPurchaseRequest) => Promise<void>;
  /**
   * Brings back what the account owns; logs in first if need be. Fulfilled when it has started.
   * Rejects with {@link OnsidePaymentQueueRequestRestoreError}.
   */
  restoreCompletedTransactions: () => Promise<void>;
  /**
   * The transactions that are not finished. Ask after each load of the page.
   */
  getTransactions: () => Promise<JSPaymentTransaction[]>;
  /**
   * Says that the page is done with a transaction in a final state.
   * Rejects with {@link JSFinishTransactionError}.
   */
  finishTransaction: (id: string) => Promise<void>;
  /**
   * Gives up a transaction in 'purchasing': it comes as failed with cancelled, unless it is paid by then.
   * Rejects with {@link JSFinishTransactionError}.
   * An addition to the published interface.
   */
  cancelPurchase?: (id: string) => Promise<void>;
  /**
   * Where the installation came from.
   * Rejects with {@link OnsideAttributionMetadataError}.
   */
  getAttributionMetadata: () => Promise<JSAttributionMetadata>;
  /**
   * The account's purchases in this app, signed, for the app's server.
   * Rejects with {@link OnsideSignedInAppsHistoryRequestError}.
   */
  getSignedInAppsHistory: () => Promise<JSSignedInAppsHistory>;
  /**
   * Loads the groups of products that the operator has put together; their products can be bought. Without a network they are those of the last time.
   * Rejects with {@link OnsideProductsRequestError}.
   * An addition to the published interface.
   */
  getOfferings?: () => Promise<JSOfferings>;
  /**
   * Where the account's subscription in a group stands; the state is NONE while no user is logged in.
   * An addition to the published interface.
   */
  getSubscriptionStatus?: (groupIdentifier: string) => Promise<JSSubscriptionStatus>;
  /**
   * What the account may use, also without a network; [] while no user is logged in.
   * An addition to the published interface.
   */
  getEntitlements?: () => Promise<JSEntitlement[]>;
  /**
   * The list behind getEntitlements as the store has signed it, for the app's server; null without one.
   * An addition to the published interface.
   */
  getSignedEntitlements?: () => Promise<string | null>;
  /** Transactions came or changed. Deliver and finish those in a final state. */
  onTransactionsUpdated?: ((transactions: JSPaymentTransaction[]) => void) | undefined;
  /** Transactions left the queue. */
  onTransactionsRemoved?: ((transactions: JSPaymentTransaction[]) => void) | undefined;
  /** Purchases were refunded or revoked, finished ones too: remove their goods. Later pages get the call, too, until a handler has returned and the promise that it returned is fulfilled. An addition to the published interface. */
  onTransactionsRevoked?: ((transactions: JSPaymentTransaction[]) => void) | undefined;
  /** The user logged in or out, or the account's region changed. */
  onStorefrontChanged?: ((storefront: JSStorefront | null) => void) | undefined;
  /** What the account may use has changed; pages hear of it once one of them has asked with getEntitlements. An addition to the published interface. */
  onEntitlementsChanged?: ((entitlements: JSEntitlement[]) => void) | undefined;
  /** A restore has delivered everything. */
  onRestoreCompletedTransactionsFinished?: (() => void) | undefined;
  /** A restore failed. */
  onRestoreCompletedTransactionsFailedWithError?: ((error: OnsideTransactionsRestoreError) => void) | undefined;
  /** Whether a transaction may run in another storefront than the one it was started in. Only false says no; so does a page that is gone or hangs. `signal` is aborted when no answer is needed any more. */
  shouldContinueTransaction?: ((question: { transaction: JSPaymentTransaction; storefront: JSStorefront; signal?: AbortSignal }) => boolean | Promise<boolean>) | undefined;
  /** Whether a purchase may go on that had to log the user in first. Only false says no. */
  shouldContinueTransactionAfterLogin?: ((question: { transaction: JSPaymentTransaction; signal?: AbortSignal }) => boolean | Promise<boolean>) | undefined;
}

declare global {
  interface Onside extends OnsideJSBridge {}

  interface Window {
    onside: OnsideJSBridge;
  }
}
