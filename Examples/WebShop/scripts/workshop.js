// Functions for developers: the signed history, attribution, events.
import { explain } from './errors.js';
import { byID, onPress } from './page.js';

/** @param {Onside} onside */
export function startWorkshop(onside) {
  press('history', async () => {
    const { dataBase64, string } = await onside.getSignedInAppsHistory();
    return string ?? dataBase64;
  });
  press('attribution', async () => {
    const { refererUrl } = await onside.getAttributionMetadata();
    return refererUrl ?? 'Nothing is known of a visit that led here.';
  });
  press('event', async () => {
    onside.trackEvent({ name: 'shop_visited', parameters: { theme: document.documentElement.dataset.theme ?? '' } });
    return 'The event shop_visited is kept, and sent as soon as the store can be reached.';
  });
}

/**
 * @param {string} id
 * @param {() => Promise<string>} act
 */
function press(id, act) {
  const answer = byID('answer');
  onPress(byID(id), async () => {
    try { answer.textContent = await act(); } catch (error) { answer.textContent = explain(error) ?? 'Stopped.'; }
    answer.hidden = false;
  });
}
