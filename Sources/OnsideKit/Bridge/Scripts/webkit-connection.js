(receive, replied, failed) => {
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
}
