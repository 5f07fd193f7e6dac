// Login, logout and the country's store. A user is logged in exactly when there is a storefront.
import { loadCatalogue } from './catalogue.js';
import { note } from './log.js';
import { say, sayWhy } from './notices.js';
import { byID, onPress } from './page.js';
import { countryText } from './prices.js';

/** @typedef {import('../onside').JSStorefront} JSStorefront */

/** @param {Onside} onside */
export function startAccount(onside) {
  onside.onStorefrontChanged = (storefront) => {
    note('onStorefrontChanged', [storefront?.countryCode ?? 'logged out']);
    show(storefront);
    // Prices depend on the storefront.
    void loadCatalogue(onside);
  };
  onPress(byID('log-in'), async () => {
    try { await onside.requestLogin(); } catch (error) { sayWhy(error); }
  });
  onPress(byID('log-out'), async () => {
    onside.logout();
    say('You are logged out.');
  });
  onPress(byID('payment-methods'), async () => {
    try { await onside.presentPaymentMethodsManager(); } catch (error) { sayWhy(error); }
  });
  onside.getCurrentStorefront().then(show, sayWhy);
}

/** @param {JSStorefront | null} storefront */
function show(storefront) {
  const badge = byID('storefront');
  badge.hidden = !storefront;
  badge.textContent = storefront ? countryText(storefront.countryCode) : '';
  byID('log-in').hidden = Boolean(storefront);
  byID('log-out').hidden = !storefront;
}
