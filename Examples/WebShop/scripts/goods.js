// What the person has. This shop keeps it on the device; yours asks its server, which checks the signed history.
import { byID, element } from './page.js';

/** @typedef {import('../onside').JSPaymentTransaction} JSPaymentTransaction */

/**
 * @typedef {object} Goods
 * @property {number} coins
 * @property {string[]} owned identifiers of what was bought for good or for a while
 * @property {string[]} delivered ids of transactions, so that none is delivered twice
 */

const key = 'lumen.goods';

/** @returns {Goods} */
function read() {
  return { coins: 0, owned: [], delivered: [], ...JSON.parse(localStorage.getItem(key) ?? '{}') };
}

/**
 * Hands over what was bought; false when that was done before. Goods and note are written together.
 * @param {JSPaymentTransaction} transaction
 */
export function deliver({ id, payment }) {
  const goods = read();
  if (goods.delivered.includes(id)) return false;
  const { productIdentifier } = payment.product;
  if (productIdentifier === 'coins_100') goods.coins += 100;
  else if (!goods.owned.includes(productIdentifier)) goods.owned.push(productIdentifier);
  goods.delivered.push(id);
  localStorage.setItem(key, JSON.stringify(goods));
  showGoods();
  return true;
}

export function showGoods() {
  const { coins, owned } = read();
  const pro = owned.some((identifier) => identifier.startsWith('pro_'));
  byID('goods').replaceChildren(
    fact('Coins', String(coins)), fact('Lumen Pro', pro ? 'yes' : 'no'),
    fact('Ads', pro || owned.includes('remove_ads') ? 'off' : 'on'),
    fact('Summer pass', owned.includes('season_pass') ? 'yes' : 'no'));
}

/**
 * @param {string} name
 * @param {string} value
 */
function fact(name, value) {
  return element('div', 'fact', element('dt', '', name), element('dd', '', value));
}
