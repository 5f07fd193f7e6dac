// Prices and periods as text, in the user's language. Pure: nothing here touches the page.

/** @typedef {import('../onside').JSProduct} JSProduct */
/** @typedef {import('../onside').JSPrice} JSPrice */
/** @typedef {import('../onside').JSPeriod} JSPeriod */

const languages = [...navigator.languages];

/**
 * `€3.99`, as the store's pages write it, so that the shop and the payment page show the same text.
 * @param {JSPrice} price
 */
export function priceText({ formatted, value, currencyCode }) {
  return formatted || new Intl.NumberFormat(languages, { style: 'currency', currency: currencyCode }).format(value);
}

/**
 * `1 month`, `2 weeks`
 * @param {JSPeriod} period
 */
export function periodText({ unit, numberOfUnits }) {
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(numberOfUnits);
}

/**
 * `per month`, `every 3 months`; empty for products without a period.
 * @param {JSProduct} product
 */
export function rhythmText({ subscriptionPeriod: period }) {
  if (!period) return '';
  return period.numberOfUnits === 1 ? `per ${period.unit}` : `every ${periodText(period)}`;
}

/**
 * The introductory offer; empty without one.
 * @param {JSProduct} product
 */
export function offerText(product) {
  const { introductoryPrice: first } = product;
  const then = `then ${priceText(product.price)} ${rhythmText(product)}`;
  if (first && first.price.value === 0) return `${periodText(first.period)} free, ${then}`;
  if (first) return `${priceText(first.price)} for the first ${singular(first.period)}, ${then}`;
  return '';
}

/** @param {JSPeriod} period */
function singular(period) {
  return period.numberOfUnits === 1 ? period.unit : periodText(period);
}

/**
 * `Netherlands`
 * @param {string} code ISO 3166-1 alpha-2
 */
export function countryText(code) {
  try {
    return new Intl.DisplayNames(languages, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}
