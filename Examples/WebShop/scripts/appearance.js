// Light, dark or as the system has it; for the page and for the store's screens alike.
import { byID } from './page.js';

/** @typedef {'light' | 'dark' | 'system'} Theme */

const key = 'lumen.appearance';

/** @param {Onside} onside */
export function startAppearance(onside) {
  const choices = /** @type {HTMLInputElement[]} */ ([...byID('appearance').querySelectorAll('input')]);
  const kept = choices.find((choice) => choice.value === localStorage.getItem(key));
  if (kept) kept.checked = true;
  const apply = () => {
    const theme = /** @type {Theme} */ (choices.find((choice) => choice.checked)?.value ?? 'system');
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(key, theme);
    void onside.setAppearance(theme);
  };
  for (const choice of choices) choice.addEventListener('change', apply);
  apply();
}
