// Texts for errors: the cause and the remedy, for users.

/**
 * The errors of the store, `{ caseName: {} }`. Null: the user's own decision, which needs no message.
 * @type {Record<string, string | null>}
 */
const cases = {
  loginDiscarded: null,
  cancelled: null,
  rejectedAfterLogin: null,
  connectionError: 'The store cannot be reached. Check your connection and try again.',
  serviceUnavailable: 'The store has a break. Try again in a few minutes.',
  internalError: 'Something went wrong at the store. Try again; if it stays, tell us.',
  appNotRegistered: 'The store does not know this app.',
  invalidProductIdentifier: 'The store does not sell this.',
  unknownProduct: 'This is no longer on the shelf. Load the page again.',
  unknownTransaction: 'This purchase is already finished.',
  presentationFailed: 'The store’s page could not be opened on this device.',
  notLoggedIn: 'Log in first.',
  notSupportedInLocalTesting: 'A store made of a .storekit file does not have this.',
};

/**
 * The errors of the bridge between page and app, by `code`: failures other than a decision of the user.
 * @type {Record<string, string>}
 */
const codes = {
  bridgeDetached: 'The app has let go of this page. Load it again.',
  deadlineExceeded: 'The app did not answer in time. Try again.',
  offline: 'The store cannot be reached. Check your connection and try again.',
  serviceUnavailable: 'The store has a break. Try again in a few minutes.',
  notAvailable: 'The store does not sell this to you now. Load the page again.',
  presentationFailed: 'The store’s page could not be opened on this device.',
  storageFull: 'There is no space left on this device. Free some and try again.',
  storageInUse: 'The app is open twice. Close the other one and try again.',
  storageUnavailable: 'The app cannot write to this device’s disk.',
  internalError: 'Something went wrong at the store. Try again; if it stays, tell us.',
};

/**
 * @param {unknown} error what a function of `window.onside` rejected with
 * @returns {string | null} what to say; null when nothing has to be said
 */
export function explain(error) {
  if (error instanceof Error) {
    const { code = error.name } = /** @type {Error & { code?: string }} */ (error);
    return codes[code] ?? `This page made a mistake (${code}): ${error.message}`;
  }
  const name = caseName(error);
  const text = cases[name];
  return text === undefined ? `Something went wrong (${name || 'unknown'}).` : text;
}

/**
 * @param {import('../onside').OnsideBridgeErrorCode} code the `failureCode` of a transaction that failed
 */
export function explainCode(code) { return codes[code] ?? `Something went wrong (${code}).`; }

/**
 * The name in `{ caseName: {} }`; empty when it is something else.
 * @param {unknown} error
 */
export function caseName(error) {
  return typeof error === 'object' && error !== null ? Object.keys(error)[0] ?? '' : '';
}
