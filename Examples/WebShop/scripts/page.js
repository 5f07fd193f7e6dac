// Small helpers around the document.

/**
 * The element with an id, which index.html has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byID(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element with the id ${id}`);
  return found;
}

/**
 * A new element. Text never becomes markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/**
 * Runs `act` when a button is pressed; the button is disabled until `act` has ended.
 * @param {HTMLElement} button
 * @param {() => Promise<void>} act
 */
export function onPress(button, act) {
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    try { await act(); } finally { button.removeAttribute('aria-disabled'); }
  });
}
