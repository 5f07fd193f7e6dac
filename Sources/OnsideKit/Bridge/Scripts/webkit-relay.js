(() => {
  'use strict';
  // A document that its server has sandboxed is at an allowed address, and is not of that origin. The page cannot
  // change what this world sees. `document.open` lets scripts run a second time in the same document.
  if (window.origin === 'null' || window.onsideReceive) return;
  const native = window.webkit.messageHandlers.onside;
  const push = new Event('push'), reply = new Event('reply'), failure = new Event('failure');
  const early = [];
  let node;
  const dispatch = (event, text) => {
    node.data = text;
    node.dispatchEvent(event);
  };
  const replied = (text) => (typeof text === 'string' ? dispatch(reply, text) : failed());
  const failed = (error) => dispatch(failure, error ? String(error.message) : 'it gave no answer');
  const forward = () => {
    const answer = native.postMessage(node.data);
    node.data = '';
    answer.then(replied, failed);
  };
  const connect = (event) => {
    if (node) return;
    node = event.relatedTarget;
    node.addEventListener('message', forward);
    event.preventDefault();
    for (const text of early.splice(0)) dispatch(push, text);
  };
  window.onsideReceive = (message) => {
    if (node) dispatch(push, message);
    else early.push(message);
    return true;
  };
  window.addEventListener('onside:page', connect);
  window.dispatchEvent(new CustomEvent('onside:relay'));
})();
