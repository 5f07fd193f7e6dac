(() => {
  'use strict';
  // A document that its server has sandboxed is at an allowed address, and is not of that origin. The page cannot
  // change what this world sees. `document.open` lets scripts run a second time in the same document.
  if (window.origin === 'null' || window.onsideReceive) return;
  const native = window.webkit.messageHandlers.onside;
  const push = new Event('push'), reply = new Event('reply'), failure = new Event('failure');
  const early = [];
  let wire;
  const tell = (event, text) => {
    wire.data = text;
    wire.dispatchEvent(event);
  };
  const replied = (text) => (typeof text === 'string' ? tell(reply, text) : failed());
  const failed = (error) => tell(failure, error ? String(error.message) : 'it gave no answer');
  const say = () => {
    const answer = native.postMessage(wire.data);
    wire.data = '';
    answer.then(replied, failed);
  };
  const meet = (event) => {
    if (wire) return;
    wire = event.relatedTarget;
    wire.addEventListener('say', say);
    event.preventDefault();
    for (const text of early.splice(0)) tell(push, text);
  };
  window.onsideReceive = (message) => {
    if (wire) tell(push, message);
    else early.push(message);
    return true;
  };
  window.addEventListener('onside:page', meet);
  window.dispatchEvent(new CustomEvent('onside:relay'));
})();
