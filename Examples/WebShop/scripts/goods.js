// The user's goods. This shop stores them on the device; yours asks its server, which verifies the signed history.
import { byID, element } from './page.js';

/** @typedef {import('../onside').JSPaymentTransaction} JSPaymentTransaction */

/**
 * The goods of one transaction.
 * @typedef {object} Purchase
 * @property {string} product
 * @property {number} [quantity] the number of units; 1 without it
 * @property {string} [until] when the paid period of a subscription ends
 */

/**
 * The prefix of the storage keys of purchases. Each purchase has a record of its own, and all goods are computed from
 * the records: two tabs that deliver the same purchase deliver it once, and a refund removes exactly the goods of its
 * purchase. A browser may write records to the disk seconds later: goods of value belong on your server.
 */
const prefix = 'lumen.purchase.';
/** The longest timeout of a browser's timer, in milliseconds. */
const longestWait = 2 ** 31 - 1;

/** @returns {Purchase[]} */
function read() {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    .map((key) => JSON.parse(localStorage.getItem(key) ?? 'null')).filter((one) => one !== null);
}

/**
 * The key of a purchase. A product that is bought again while it is owned is a transaction of the same purchase.
 * @param {JSPaymentTransaction} transaction
 */
const keyOf = ({ id, transactionIdentifier }) => prefix + (transactionIdentifier ?? id);

/**
 * Delivers a purchase; false when it was delivered before.
 * @param {JSPaymentTransaction} transaction
 */
export function deliver(transaction) {
  const key = keyOf(transaction);
  const isNew = localStorage.getItem(key) === null;
  const { payment: { product, quantity }, expirationDate: until } = transaction;
  localStorage.setItem(key, JSON.stringify({ product: product.productIdentifier, quantity, until }));
  showGoods();
  return isNew;
}

/**
 * Removes the goods of a purchase; false when it has none, or none any more.
 * @param {JSPaymentTransaction} transaction
 */
export function takeBack(transaction) {
  const key = keyOf(transaction);
  const gave = localStorage.getItem(key) !== null;
  localStorage.removeItem(key);
  showGoods();
  return gave;
}

/** Shows the current goods, and again when the next paid period ends. */
export function showGoods() {
  const now = Date.now();
  const valid = read().filter(({ until }) => !until || Date.parse(until) > now);
  /** @param {string[]} products */
  const has = (...products) => valid.some(({ product }) => products.includes(product));
  const packs = valid.filter(({ product }) => product === 'coins_100');
  const coins = packs.reduce((sum, { quantity }) => sum + 100 * (quantity ?? 1), 0);
  const pro = has('pro_monthly', 'pro_yearly');
  byID('goods').replaceChildren(
    fact('Coins', String(coins)), fact('Lumen Pro', pro ? 'yes' : 'no'),
    fact('Ads', pro || has('remove_ads') ? 'off' : 'on'), fact('Summer pass', has('season_pass') ? 'yes' : 'no'));
  const ends = valid.flatMap(({ until }) => (until ? [Date.parse(until) - now] : []));
  clearTimeout(next);
  if (ends.length > 0) next = setTimeout(showGoods, Math.min(...ends, longestWait));
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;

/**
 * @param {string} name
 * @param {string} value
 */
function fact(name, value) {
  return element('div', 'fact', element('dt', '', name), element('dd', '', value));
}
