// What the person has. This shop keeps it on the device; yours asks its server, which checks the signed history.
import { byID, element } from './page.js';

/** @typedef {import('../onside').JSPaymentTransaction} JSPaymentTransaction */

/**
 * What one transaction gave.
 * @typedef {object} Purchase
 * @property {string} product
 * @property {string} [until] when the paid period of a subscription ends
 */

/**
 * Purchases by the id of their transaction; null for one that was taken back. All goods follow from these: nothing is
 * given twice, and a refund takes away exactly what its purchase gave.
 * @typedef {Record<string, Purchase | null>} Purchases
 */

const key = 'lumen.purchases';
/** The longest time that a browser can wait for, in milliseconds. */
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
 * Hands over what was bought; false when that was done before.
 * @param {JSPaymentTransaction} transaction
 */
export function deliver({ id, payment, expirationDate }) {
  const purchases = read();
  if (Object.hasOwn(purchases, id)) return false;
  purchases[id] = { product: payment.product.productIdentifier, until: expirationDate };
  write(purchases);
  return true;
}

/**
 * Takes back what a purchase gave; false when it gave nothing, or no longer does.
 * @param {JSPaymentTransaction} transaction
 */
export function takeBack({ id }) {
  const purchases = read();
  const gave = Boolean(purchases[id]);
  purchases[id] = null;
  write(purchases);
  return gave;
}

/** Shows the goods as they are now, and again when the next paid period ends. */
export function showGoods() {
  const now = Date.now();
  const valid = Object.values(read()).flatMap((one) => (one ? [one] : []))
    .filter(({ until }) => !until || Date.parse(until) > now);
  /** @param {string[]} products */
  const has = (...products) => valid.some(({ product }) => products.includes(product));
  const coins = 100 * valid.filter(({ product }) => product === 'coins_100').length;
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
