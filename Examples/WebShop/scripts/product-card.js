// The card of one product.
import { element, onPress } from './page.js';
import { offerText, priceText, rhythmText } from './prices.js';

/** @typedef {import('../onside').JSProduct} JSProduct */

/**
 * @param {JSProduct} product
 * @param {() => Promise<void>} buy
 */
export function productCard(product, buy) {
  const button = element('button', 'button wide', 'Buy');
  button.type = 'button';
  button.setAttribute('aria-label', `Buy ${product.localizedTitle} for ${priceText(product.price)}`);
  onPress(button, async () => {
    button.textContent = 'One moment…';
    try { await buy(); } finally { button.textContent = 'Buy'; }
  });
  const offer = offerText(product);
  const card = element(
    'article', 'card product', element('div', 'row', icon(product), price(product)),
    element('h3', '', product.localizedTitle), element('p', 'muted', product.localizedDescription),
    ...(offer ? [element('p', 'offer', offer)] : []), button);
  card.dataset.product = product.productIdentifier;
  return card;
}

/** @param {JSProduct} product */
function price(product) {
  const rhythm = rhythmText(product);
  return element('p', 'price', priceText(product.price), ...(rhythm ? [' ', element('small', '', rhythm)] : []));
}

/**
 * The product's picture; its first letter when there is no picture, or it cannot be loaded.
 * @param {JSProduct} product
 */
function icon(product) {
  const tile = element('span', 'tile', product.localizedTitle.replace('Lumen ', '').charAt(0).toUpperCase());
  tile.setAttribute('aria-hidden', 'true');
  if (!product.iconUrl) return tile;
  const image = element('img', 'tile');
  image.alt = '';
  image.addEventListener('error', () => image.replaceWith(tile));
  image.src = product.iconUrl;
  return image;
}
