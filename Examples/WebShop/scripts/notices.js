// Short messages at the bottom of the page, which screen readers read out.
import { explain } from './errors.js';
import { byID, element } from './page.js';

/**
 * Shows a message for some seconds.
 * @param {string} text
 * @param {'good' | 'bad'} [kind]
 */
export function say(text, kind = 'good') {
  const notice = element('p', `notice ${kind}`, text);
  byID('notices').append(notice);
  setTimeout(() => notice.remove(), 6000);
}

/**
 * Shows an error's message, unless the user cancelled.
 * @param {unknown} error
 */
export function sayWhy(error) {
  const text = explain(error);
  if (text) say(text, 'bad');
}
