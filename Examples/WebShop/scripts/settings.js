// Settings of login and region.
import { loadCatalogue } from './catalogue.js';
import { byID, element } from './page.js';
import { countryText } from './prices.js';

const countries = ['NL', 'DE', 'FR', 'ES', 'GB', 'US', 'JP', 'KW'];

/** @param {Onside} onside */
export function startSettings(onside) {
  const country = /** @type {HTMLSelectElement} */ (byID('country'));
  country.append(option('', 'As the device says'), ...countries.map((code) => option(code, countryText(code))));
  country.addEventListener('change', async () => {
    await onside.setDefaultCountryCodeAssumption(country.value);
    await loadCatalogue(onside);
  });
  const localLogin = /** @type {HTMLInputElement} */ (byID('local-login'));
  localLogin.addEventListener('change', () => void onside.setShouldForceLocalLoginMethods(localLogin.checked));
}

/**
 * @param {string} value
 * @param {string} text
 */
function option(value, text) {
  const made = element('option', '', text);
  made.value = value;
  return made;
}
