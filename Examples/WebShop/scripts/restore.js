// Restore of the account's purchases. They are delivered as transactions; then one callback reports the end.
import { caseName } from './errors.js';
import { note } from './log.js';
import { say, sayWhy } from './notices.js';
import { byID, onPress } from './page.js';

/** @param {Onside} onside */
export function startRestoring(onside) {
  /** @type {(() => void)[]} */
  let waiting = [];
  const end = () => {
    for (const resume of waiting) resume();
    waiting = [];
  };
  onside.onRestoreCompletedTransactionsFinished = () => {
    note('onRestoreCompletedTransactionsFinished', []);
    say('Your purchases are restored.');
    end();
  };
  onside.onRestoreCompletedTransactionsFailedWithError = (error) => {
    note('onRestoreCompletedTransactionsFailedWithError', [caseName(error)]);
    sayWhy(error);
    end();
  };
  onPress(byID('restore'), async () => {
    const ended = new Promise((resume) => waiting.push(() => resume(undefined)));
    try {
      await onside.restoreCompletedTransactions();
      await ended;
    } catch (error) {
      sayWhy(error);
      end();
    }
  });
}
