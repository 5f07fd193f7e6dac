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
 * Purchases by the id of their transaction; null for a refunded one. All goods are computed from these, so that nothing
 * is delivered twice, and a refund removes exactly the goods of its purchase.
 * @typedef {Record<string, Purchase | null>} Purchases
 */

const key = 'lumen.purchases';
/** The longest timeout of a browser's timer, in milliseconds. */
const longestWait = 2 ** 31 - 1;

/** @returns {Purchases} */
function read() {
  return JSON.parse(localStorage.getItem(key) ?? '{}');
}

/** @param {Purchases} purchases */
function write(purchases) {
  localStorage.setItem(key, JSON.stringify(purchases));
  showGoods();
}

/**
 * Delivers a purchase; false when it was delivered before.
 * @param {JSPaymentTransaction} transaction
 */
export function deliver({ id, payment, expirationDate }) {
  const purchases = read();
  if (Object.hasOwn(purchases, id)) return false;
  const { product, quantity } = payment;
  purchases[id] = { product: product.productIdentifier, quantity, until: expirationDate };
  write(purchases);
  return true;
}

/**
 * Removes the goods of a purchase; false when it has none, or none any more.
 * @param {JSPaymentTransaction} transaction
 */
export function takeBack({ id }) {
  const purchases = read();
  const gave = Boolean(purchases[id]);
  purchases[id] = null;
  write(purchases);
  return gave;
}

/** Shows the current goods, and again when the next paid period ends. */
export function showGoods() {
  const now = Date.now();
  const valid = Object.values(read()).flatMap((one) => (one ? [one] : []))
    .filter(({ until }) => !until || Date.parse(until) > now);
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
