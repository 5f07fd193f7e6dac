// Purchases, from the button to the delivery. Only a transaction's state shows that a purchase is paid.
import { caseName, explain, explainCode } from './errors.js';
import { deliver, takeBack } from './goods.js';
import { note } from './log.js';
import { say, sayWhy } from './notices.js';
import { byID, element } from './page.js';

/** @typedef {import('../onside').JSProduct} JSProduct */
/** @typedef {import('../onside').JSPaymentTransaction} JSPaymentTransaction */

/**
 * The transactions that are not finished, by id.
 * @type {Map<string, JSPaymentTransaction>}
 */
const alive = new Map();

/** @param {Onside} onside */
export function startPurchases(onside) {
  onside.onTransactionsUpdated = (transactions) => {
    note('onTransactionsUpdated', transactions.map(line));
    for (const transaction of transactions) void take(onside, transaction);
  };
  onside.onTransactionsRemoved = (transactions) => {
    note('onTransactionsRemoved', transactions.map(line));
    for (const { id } of transactions) alive.delete(id);
    show();
  };
  // Refunds, also of finished purchases.
  onside.onTransactionsRevoked = (transactions) => {
    note('onTransactionsRevoked', transactions.map(line));
    for (const transaction of transactions) {
      if (takeBack(transaction)) say(`${transaction.payment.product.localizedTitle} was refunded and taken back.`);
    }
  };
  void rebuild(onside);
}

/**
 * Reads the unfinished transactions after a reload.
 * @param {Onside} onside
 */
async function rebuild(onside) {
  show();
  try {
    for (const transaction of await onside.getTransactions()) await take(onside, transaction);
  } catch (error) {
    sayWhy(error);
  }
}

/**
 * Starts a purchase. The promise resolves when it has started, not when it is paid.
 * @param {Onside} onside
 * @param {JSProduct} product
 */
export async function buy(onside, { productIdentifier }) {
  try {
    await onside.purchase({ productIdentifier, appAccountToken: visitor() });
  } catch (error) {
    if (caseName(error) === 'rejectedAfterLogin') say('Not bought.');
    else sayWhy(error);
  }
}

/**
 * Handles a transaction's state. The same state may be delivered twice, also for a purchase of an earlier page.
 * @param {Onside} onside
 * @param {JSPaymentTransaction} transaction
 */
async function take(onside, transaction) {
  const { id, transactionState, payment, error, failureCode } = transaction;
  const isNews = alive.get(id)?.transactionState !== transactionState;
  alive.set(id, transaction);
  show();
  if (!isNews) return;
  const title = payment.product.localizedTitle;
  switch (transactionState) {
    // Deliver first: a finished transaction is not delivered again.
    case 'purchased':
      if (deliver(transaction)) say(`You have bought: ${title}. Thank you!`);
      break;
    case 'restored':
      if (deliver(transaction)) say(`Restored: ${title}.`);
      break;
    case 'failed': {
      const text = failureCode ? explainCode(failureCode) : error ? explain(error) : null;
      say(text ?? `${title} was not bought.`, text ? 'bad' : 'good');
      break;
    }
    default: return; // purchasing: not paid yet
  }
  try { await onside.finishTransaction(id); } catch (refusal) {
    if (caseName(refusal) !== 'unknownTransaction') sayWhy(refusal);
  }
}

function show() {
  const rows = [...alive.values()].map((transaction) => {
    const { payment, transactionState, storefront, id } = transaction;
    const badge = element('span', `badge ${transactionState}`, states[transactionState]);
    const text = element('div', 'grow', element('strong', '', payment.product.localizedTitle),
      element('small', 'muted', `${storefront.countryCode} · ${id.slice(0, 8)}`));
    return element('li', '', text, badge);
  });
  byID('purchases').replaceChildren(...(rows.length ? rows : [element('li', 'muted', 'Nothing is under way.')]));
}

const states = { purchasing: 'Waiting for payment', purchased: 'Paid', restored: 'Restored', failed: 'Not bought' };

/** @param {JSPaymentTransaction} transaction */
function line({ payment, transactionState }) {
  return `${payment.product.productIdentifier} ${transactionState}`;
}

/** The token that names the buyer in the signed history, for your server. A real shop uses its own account id. */
function visitor() {
  const known = localStorage.getItem('lumen.visitor') ?? crypto.randomUUID();
  localStorage.setItem('lumen.visitor', known);
  return known;
}
