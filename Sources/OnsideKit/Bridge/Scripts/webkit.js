({
  // The page's end, in the page's world.
  connection: (receive, replied, failed) => {
    const node = document.createComment(''), messageEvent = new Event('message');
    // A copy on the node itself, which a page that changes the prototype cannot reach.
    const copyToNode = (name, { prototype }) =>
      Object.defineProperty(node, name, Object.getOwnPropertyDescriptor(prototype, name));
    copyToNode('data', CharacterData);
    copyToNode('dispatchEvent', EventTarget);
    let firstSent, lastSent, firstEarly, lastEarly;
    let isConnected = false, hasLoaded = document.readyState === 'complete';
    const takeText = () => {
      const text = node.data;
      node.data = '';
      return text;
    };
    const forward = (message) => {
      node.data = message.text;
      message.text = '';
      node.dispatchEvent(messageEvent);
      if (takeText() !== '') return failed(message, 'it does not listen any more');
      if (firstSent) lastSent.next = message;
      else firstSent = message;
      lastSent = message;
    };
    const send = (message) => {
      if (isConnected) return forward(message);
      if (hasLoaded) return failed(message, 'this page has no relay script');
      if (firstEarly) lastEarly.next = message;
      else firstEarly = message;
      lastEarly = message;
    };
    const sendEarly = () => {
      let message = firstEarly;
      firstEarly = undefined;
      while (message) {
        const { next } = message;
        message.next = undefined;
        send(message);
        message = next;
      }
    };
    const dequeueSent = () => {
      const message = firstSent;
      firstSent = message.next;
      message.next = undefined;
      return message;
    };
    const connect = () => {
      if (isConnected) return;
      isConnected = !window.dispatchEvent(new MouseEvent('onside:page', { relatedTarget: node, cancelable: true }));
      if (isConnected) sendEarly();
    };
    node.addEventListener('push', () => receive(takeText()));
    node.addEventListener('reply', () => replied(dequeueSent(), takeText()));
    node.addEventListener('failure', () => failed(dequeueSent(), takeText()));
    window.addEventListener('onside:relay', connect);
    window.addEventListener('load', () => {
      hasLoaded = true;
      sendEarly();
    }, { once: true });
    connect();
    return send;
  },

  // The relay's end, in a world of its own.
  relay: () => {
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
  },
})
