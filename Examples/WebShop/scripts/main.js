// The entry point.
import { startAccount } from './account.js';
import { startAppearance } from './appearance.js';
import { startCatalogue } from './catalogue.js';
import { startGates } from './gates.js';
import { showGoods } from './goods.js';
import { byID } from './page.js';
import { startPurchases } from './purchases.js';
import { startRestoring } from './restore.js';
import { startSettings } from './settings.js';
import { startWorkshop } from './workshop.js';

const { onside } = window;
if (onside) {
  await onside.initializeOnside('v1');
  // Before any other await: events from before the page's load are delivered right after this turn.
  startPurchases(onside);
  startRestoring(onside);
  startGates(onside);
  startAccount(onside);
  startAppearance(onside);
  startSettings(onside);
  startWorkshop(onside);
  startCatalogue(onside);
  showGoods();
  byID('shop').hidden = false;
} else {
  byID('address').textContent = location.origin === 'null' ? 'http://localhost:5173' : location.origin;
  byID('missing').hidden = false;
}
