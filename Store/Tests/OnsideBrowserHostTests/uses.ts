// Every type of onside.d.ts, used as declared.
import type {
  JSAttributionMetadata, JSAvailableOffer, JSEntitlement, JSEvent, JSEventArrayParameterValue, JSEventParameterValue,
  JSFinishTransactionError, JSOffering, JSOfferings, JSPayment, JSPaymentOffer, JSProductOffer,
  JSPaymentTransaction, JSPaymentTransactionState, JSPeriod, JSPrice, JSPricePeriod, JSProduct, JSProductsResponse,
  JSPurchaseError, JSPurchaseRequest, JSSignedInAppsHistory, JSStorefront, JSSubscriptionStatus, JSTheme, OnsideAttributionMetadataError,
  OnsideBridgeError, OnsideBridgeErrorCode, OnsideInitializeError, OnsideJSBridge, OnsideLoginError, OnsidePaymentMethodsManagerError, OnsidePaymentQueueRequestRestoreError,
  OnsidePaymentTransactionError, OnsideProductsRequestError, OnsideRefundRequestError,
  OnsideSignedInAppsHistoryRequestError,
  OnsideTransactionsRestoreError, PontoonBridgeError,
} from './onside';

const { onside } = window;
export const bridge: OnsideJSBridge = onside;

const price = ({ value, currencyCode, formatted }: JSPrice): string => `${value.toFixed(2)} ${currencyCode} ${formatted}`;
const period = ({ unit, numberOfUnits }: JSPeriod): string => `${numberOfUnits + 1} ${unit}`;
const offer = (one: JSPricePeriod): string => `${price(one.price)} ${period(one.period)} ${one.paymentMode} ${one.numberOfPeriods}`;
const name = (product: JSProduct): string => [
  product.productIdentifier, product.localizedTitle, product.localizedDescription, product.iconUrl ?? '',
  product.subscriptionGroupIdentifier ?? '', product.subscriptionPeriod ? period(product.subscriptionPeriod) : '',
  price(product.price), product.introductoryPrice ? offer(product.introductoryPrice) : '',
  product.discountedPrice ? offer(product.discountedPrice) : '', product.productType ?? '',
].join();
const payment = (one: JSPayment): string => `${one.quantity ?? 1} ${name(one.product)} ${one.appAccountToken?.length ?? 0}`;
const state = (one: JSPaymentTransactionState): 'open' | 'ended' => one === 'purchasing' ? 'open' : 'ended';
const failure = (error: OnsidePaymentTransactionError): string => 'cancelled' in error ? 'cancelled' : 'not shown';
const take = (one: JSPaymentTransaction): string => [
  one.id, one.transactionIdentifier ?? '', one.originalTransactionIdentifier ?? '', payment(one.payment),
  state(one.transactionState), one.storefront.countryCode, one.error ? failure(one.error) : '', one.failureCode ?? '',
  one.deliveryReason ?? '',
  one.purchaseDate ?? '', one.expirationDate ?? '', one.revocationDate ?? '', one.signedPurchase ?? '',
].join();

export const errors = {
  login: (error: OnsideLoginError) => 'loginDiscarded' in error,
  purchase: (error: JSPurchaseError) => 'unknownProduct' in error || 'rejectedAfterLogin' in error,
  finish: (error: JSFinishTransactionError) => 'unknownTransaction' in error,
  methods: (error: OnsidePaymentMethodsManagerError) => 'notSupportedInLocalTesting' in error,
  refund: (error: OnsideRefundRequestError) => 'purchaseNotFound' in error,
  restoreStart: (error: OnsidePaymentQueueRequestRestoreError) => 'loginDiscarded' in error,
  restore: (error: OnsideTransactionsRestoreError) => 'connectionError' in error,
  products: (error: OnsideProductsRequestError) => 'invalidProductIdentifier' in error,
  history: (error: OnsideSignedInAppsHistoryRequestError) => 'notLoggedIn' in error,
  attribution: (error: OnsideAttributionMetadataError) => 'appNotRegistered' in error,
  bridge: (error: OnsideBridgeError): OnsideBridgeErrorCode => error.code,
  otherBridge: (error: PontoonBridgeError): OnsideBridgeErrorCode => error.code,
  initialize: (error: OnsideInitializeError): string => error.reason,
};

export async function everything(): Promise<void> {
  await onside.initializeOnside('v1');
  onside.onTransactionsUpdated = (all: JSPaymentTransaction[]) => { all.map(take); };
  onside.onTransactionsRemoved = (all) => { all.map(take); };
  onside.onTransactionsRevoked = (all: JSPaymentTransaction[]) => { all.map(take); };
  onside.onStorefrontChanged = (storefront: JSStorefront | null) => { void storefront?.id; };
  onside.onRestoreCompletedTransactionsFinished = () => {};
  onside.onRestoreCompletedTransactionsFailedWithError = (error) => { errors.restore(error); };
  onside.shouldContinueTransaction = ({ transaction, storefront }) => transaction.storefront.id === storefront.id;
  onside.shouldContinueTransactionAfterLogin = async ({ transaction }) => take(transaction) !== '';
  onside.onTransactionsRemoved = undefined;
  const theme: JSTheme = 'system';
  const nothing: void = onside.setAppearance(theme);
  await nothing;
  onside.setShouldForceLocalLoginMethods(true);
  onside.setDefaultCountryCodeAssumption('');
  const tags: JSEventArrayParameterValue[] = ['a', 1, true];
  const parameters: { [key: string]: JSEventParameterValue } = { tags, level: 3 };
  const event: JSEvent = { name: 'level_done', parameters };
  onside.trackEvent(event);
  await onside.requestLogin();
  onside.cancelLogin?.();
  const storefront: JSStorefront | null = await onside.getCurrentStorefront();
  const response: JSProductsResponse = await onside.loadProducts({ productIdentifiers: ['coins_100'] });
  for (const { productIdentifier } of response.products) await onside.purchase({ productIdentifier, appAccountToken: storefront?.id });
  const three: JSPurchaseRequest = { productIdentifier: 'coins_100', quantity: 3 };
  await onside.purchase(three);
  const offer: JSProductOffer | undefined = response.products[0]?.offers?.[0];
  const chosen: JSPaymentOffer | undefined = offer && { offerIdentifier: offer.offerIdentifier, signature: 'a.b.c' };
  if (chosen) await onside.purchase({ productIdentifier: 'pro', offer: chosen });
  for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id);
  for (const { id } of await onside.getTransactions()) await onside.cancelPurchase?.(id);
  await onside.restoreCompletedTransactions();
  await onside.presentPaymentMethodsManager();
  await onside.presentRefundRequest?.('transaction').catch(errors.refund);
  await onside.presentSubscriptionsManager?.();
  await onside.presentSubscriptionsManager?.('plans').catch(errors.login);
  onside.setAppAccountToken?.('user-4711');
  await onside.presentCodeRedemption?.();
  await onside.presentCodeRedemption?.().catch(errors.login);
  const history: JSSignedInAppsHistory = await onside.getSignedInAppsHistory();
  const signed: string | null | undefined = await onside.getSignedEntitlements?.();
  const entitlements: JSEntitlement[] = (await onside.getEntitlements?.()) ?? [];
  onside.onEntitlementsChanged = (changed) => { entitlements.splice(0, entitlements.length, ...changed); };
  const offerings: JSOfferings | undefined = await onside.getOfferings?.();
  const offering: JSOffering | undefined = offerings?.offerings.find(({ id }) => id === offerings.current);
  console.log(entitlements.some(({ isActive }) => isActive), signed?.length, offering?.metadata, offering?.products.length);
  const status: JSSubscriptionStatus | undefined = await onside.getSubscriptionStatus?.('plans');
  const available: JSAvailableOffer | undefined = status?.offers[0];
  console.log(status?.state === 'PAUSED' ? status.pausedUntil : status?.nextPrice?.formatted, available?.offerIdentifier);
  const visit: JSAttributionMetadata = await onside.getAttributionMetadata();
  onside.logout();
  delete onside.onTransactionsRevoked;
  console.log(response.invalidProductIdentifiers.length, history.dataBase64, history.string, visit.refererUrl);
}
