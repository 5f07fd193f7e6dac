// The two gates: callbacks in which the store asks whether a purchase may continue. They have no time limit.
import { note } from './log.js';
import { element } from './page.js';
import { countryText, priceText, rhythmText } from './prices.js';
import { ask } from './question.js';

/** @typedef {import('../onside').JSProduct} JSProduct */

/** @param {Onside} onside */
export function startGates(onside) {
  onside.shouldContinueTransaction = async ({ transaction, storefront, signal }) => {
    note('shouldContinueTransaction', [storefront.countryCode]);
    const before = transaction.payment.product;
    const after = await priceNow(onside, before);
    const country = countryText(storefront.countryCode);
    return ask(`Your account is in ${country}`, [
      element('p', 'muted', `${before.localizedTitle} has another price there.`),
      element('dl', 'facts', row(countryText(transaction.storefront.countryCode), before),
        row(country, after)),
    ], 'Go on', 'Do not buy', signal);
  };
  onside.shouldContinueTransactionAfterLogin = ({ transaction, signal }) => {
    note('shouldContinueTransactionAfterLogin', []);
    const { product } = transaction.payment;
    return ask('You are logged in', [
      element('p', '', `Buy ${product.localizedTitle} for ${priceText(product.price)} ${rhythmText(product)}?`),
    ], 'Buy', 'Not now', signal);
  };
}

/**
 * The product at the price of the current country. It does not throw, because a gate that throws counts as a yes.
 * @param {Onside} onside
 * @param {JSProduct} product
 * @returns {Promise<JSProduct | undefined>}
 */
async function priceNow(onside, { productIdentifier }) {
  try {
    const { products } = await onside.loadProducts({ productIdentifiers: [productIdentifier] });
    return products[0];
  } catch {
    return undefined;
  }
}

/**
 * @param {string} country
 * @param {JSProduct | undefined} product
 */
function row(country, product) {
  const text = product ? `${priceText(product.price)} ${rhythmText(product)}` : 'shown before you pay';
  return element('div', '', element('dt', '', country), element('dd', '', text));
}
