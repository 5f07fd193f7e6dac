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
  const pass = (letter) => {
    wire.data = letter.text;
    letter.text = '';
    wire.dispatchEvent(say);
    if (take() !== '') return failed(letter, 'it does not listen any more');
    if (first) last.next = letter;
    else first = letter;
    last = letter;
  };
  const send = (letter) => {
    if (isConnected) return pass(letter);
    if (hasLoaded) return failed(letter, 'this page has no relay script');
    if (early) lastEarly.next = letter;
    else early = letter;
    lastEarly = letter;
  };
  const sendEarly = () => {
    let letter = early;
    early = undefined;
    while (letter) {
      const { next } = letter;
      letter.next = undefined;
      send(letter);
      letter = next;
    }
  };
  const answered = () => {
    const letter = first;
    first = letter.next;
    letter.next = undefined;
    return letter;
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
