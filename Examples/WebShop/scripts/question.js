// A dialog with two answers. Several at once are shown one after the other. A dialog whose signal is aborted is closed.
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
  // Escape closes the dialog, too, and counts as a no.
  dialog.returnValue = 'no';
  dialog.showModal();
  const closed = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  const close = () => dialog.close('no');
  signal?.addEventListener('abort', close);
  await closed;
  signal?.removeEventListener('abort', close);
  return dialog.returnValue === 'yes';
}
