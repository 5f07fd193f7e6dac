// A question with two answers. Several at once are asked one after the other. One whose signal is aborted needs no answer
// any more, and is not shown any longer.
import { byID } from './page.js';

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * @param {string} title
 * @param {Node[]} body
 * @param {string} yes
 * @param {string} no
 * @param {AbortSignal} [signal]
 * @returns {Promise<boolean>}
 */
export function ask(title, body, yes, no, signal) {
  const answer = last.then(() => show(title, body, yes, no, signal));
  last = answer;
  return answer;
}

/**
 * @param {string} title
 * @param {Node[]} body
 * @param {string} yes
 * @param {string} no
 * @param {AbortSignal} [signal]
 * @returns {Promise<boolean>}
 */
async function show(title, body, yes, no, signal) {
  if (signal?.aborted) return false;
  const dialog = /** @type {HTMLDialogElement} */ (byID('question'));
  byID('question-title').textContent = title;
  byID('question-body').replaceChildren(...body);
  byID('question-yes').textContent = yes;
  byID('question-no').textContent = no;
  // Escape closes it, too; that is a no.
  dialog.returnValue = 'no';
  dialog.showModal();
  const closed = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  const close = () => dialog.close('no');
  signal?.addEventListener('abort', close);
  await closed;
  signal?.removeEventListener('abort', close);
  return dialog.returnValue === 'yes';
}
