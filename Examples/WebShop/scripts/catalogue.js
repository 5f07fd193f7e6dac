// The catalogue: products with prices of the user's country.
import { caseName, explain } from './errors.js';
import { sayWhy } from './notices.js';
import { byID, element, onPress } from './page.js';
import { productCard } from './product-card.js';
import { buy } from './purchases.js';

/** The products of this shop, in display order. */
const productIdentifiers = ['pro_yearly', 'pro_monthly', 'season_pass', 'remove_ads', 'coins_100'];

const latest = { load: 0 };

/** @param {Onside} onside */
export function startCatalogue(onside) {
  void loadCatalogue(onside);
}

/**
 * Loads the products; again after a login or logout, since prices depend on the country. A product has to be loaded
 * before it can be bought.
 * @param {Onside} onside
 */
export async function loadCatalogue(onside) {
  const load = ++latest.load;
  const shelf = byID('catalogue');
  shelf.setAttribute('aria-busy', 'true');
  try {
    const { products, invalidProductIdentifiers } = await onside.loadProducts({ productIdentifiers });
    if (load !== latest.load) return;
    for (const identifier of invalidProductIdentifiers) console.warn(`The store does not sell ${identifier}.`);
    const place = productIdentifiers.indexOf.bind(productIdentifiers);
    products.sort((one, other) => place(one.productIdentifier) - place(other.productIdentifier));
    shelf.replaceChildren(...products.map((product) => productCard(product, () => buy(onside, product))));
  } catch (error) {
    if (load !== latest.load) return;
    if (shelf.childElementCount > 0 && !shelf.querySelector('.problem')) sayWhy(error);
    else shelf.replaceChildren(problem(onside, error));
  } finally {
    if (load === latest.load) shelf.setAttribute('aria-busy', 'false');
  }
}

/**
 * @param {Onside} onside
 * @param {unknown} error
 */
function problem(onside, error) {
  const again = element('button', 'button quiet small', 'Try again');
  again.type = 'button';
  onPress(again, () => loadCatalogue(onside));
  return element('div', 'card stack problem', element('p', '', explain(error) ?? `Stopped (${caseName(error)}).`), again);
}
