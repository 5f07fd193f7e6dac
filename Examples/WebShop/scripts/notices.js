// Short messages at the bottom of the page, which screen readers read out.
import { explain } from './errors.js';
import { byID, element } from './page.js';

/**
 * Says something for a while.
 * @param {string} text
 * @param {'good' | 'bad'} [kind]
 */
export function say(text, kind = 'good') {
  const notice = element('p', `notice ${kind}`, text);
  byID('notices').append(notice);
  setTimeout(() => notice.remove(), 6000);
}

/**
 * Says why something did not work, unless the person stopped it.
 * @param {unknown} error
 */
export function sayWhy(error) {
  const text = explain(error);
  if (text) say(text, 'bad');
}
