// The log of the store's callbacks, newest first.
import { byID, element } from './page.js';

/**
 * @param {string} name the callback
 * @param {string[]} details
 */
export function note(name, details) {
  const entry = element('li', '', element('code', '', name));
  if (details.length > 0) entry.append(' ', details.join(', '));
  const log = byID('log');
  log.prepend(entry);
  while (log.childElementCount > 50) log.lastElementChild?.remove();
}
