// A question with two answers. Several at once are asked one after the other.
import { byID } from './page.js';

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * @param {string} title
 * @param {Node[]} body
 * @param {string} yes
 * @param {string} no
 * @returns {Promise<boolean>}
 */
export function ask(title, body, yes, no) {
  const answer = last.then(() => show(title, body, yes, no));
  last = answer;
  return answer;
}

/**
 * @param {string} title
 * @param {Node[]} body
 * @param {string} yes
 * @param {string} no
 * @returns {Promise<boolean>}
 */
function show(title, body, yes, no) {
  const dialog = /** @type {HTMLDialogElement} */ (byID('question'));
  byID('question-title').textContent = title;
  byID('question-body').replaceChildren(...body);
  byID('question-yes').textContent = yes;
  byID('question-no').textContent = no;
  // Escape closes it, too; that is a no.
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
