(hear, replied, failed) => {
  const wire = document.createComment(''), say = new Event('say');
  const keep = (name, { prototype }) =>
    Object.defineProperty(wire, name, Object.getOwnPropertyDescriptor(prototype, name));
  keep('data', CharacterData);
  keep('dispatchEvent', EventTarget);
  let first, last, early, lastEarly, isConnected = false, hasLoaded = document.readyState === 'complete';
  const take = () => {
    const text = wire.data;
    wire.data = '';
    return text;
  };
  const pass = (message) => {
    wire.data = message.text;
    message.text = '';
    wire.dispatchEvent(say);
    if (take() !== '') return failed(message, 'it does not listen any more');
    if (first) last.next = message;
    else first = message;
    last = message;
  };
  const send = (message) => {
    if (isConnected) return pass(message);
    if (hasLoaded) return failed(message, 'this page has no relay script');
    if (early) lastEarly.next = message;
    else early = message;
    lastEarly = message;
  };
  const sendEarly = () => {
    let message = early;
    early = undefined;
    while (message) {
      const { next } = message;
      message.next = undefined;
      send(message);
      message = next;
    }
  };
  const answered = () => {
    const message = first;
    first = message.next;
    message.next = undefined;
    return message;
  };
  const greet = () => {
    if (isConnected) return;
    isConnected = !window.dispatchEvent(new MouseEvent('onside:page', { relatedTarget: wire, cancelable: true }));
    if (isConnected) sendEarly();
  };
  wire.addEventListener('push', () => hear(take()));
  wire.addEventListener('reply', () => replied(answered(), take()));
  wire.addEventListener('failure', () => failed(answered(), take()));
  window.addEventListener('onside:relay', greet);
  window.addEventListener('load', () => {
    hasLoaded = true;
    sendEarly();
  }, { once: true });
  greet();
  return send;
}
