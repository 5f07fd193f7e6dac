// The page's end of the way to `onside dev`: messages go by POST and come back as its answer, the native side's own come
// as server-sent events. What is needed later is taken now, before any script of the page runs.
(hear, replied, failed, lost) => {
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const ask = window.fetch, { text: textOf } = Response.prototype, Stream = window.EventSource, later = window.setTimeout;
  const { get: isOK } = Object.getOwnPropertyDescriptor(Response.prototype, 'ok');
  const { get: dataOf } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  const { get: stateOf } = Object.getOwnPropertyDescriptor(Stream.prototype, 'readyState');
  const { addEventListener: listen } = EventTarget.prototype, { close } = Stream.prototype;
  const warn = console.warn.bind(console);

  const script = new URL(document.currentScript.src), { href, origin } = script;
  const token = script.searchParams.get('token');
  const address = (path, page) => `${origin}/${path}?token=${token}&tab=${tab}&page=${page}`;
  // The same after a reload, and another in every tab.
  const tab = (() => {
    const key = 'onside.tab';
    try {
      const known = sessionStorage.getItem(key) || crypto.getRandomValues(new Uint32Array(4)).join('-');
      sessionStorage.setItem(key, known);
      return known;
    } catch {
      return crypto.getRandomValues(new Uint32Array(4)).join('-');
    }
  })();

  let page = '', problem = '', isBusy = false, first, last, pushes, isOpenedAgain = false, isForbidden = false;

  // There is no way to the native side any more, or there never was.
  const giveUp = (reason) => {
    problem = reason;
    warn(`window.onside: ${problem}.`);
    for (; first; first = first.next) failed(first, problem);
  };

  // One after the other: two requests may overtake each other.
  const post = () => {
    if (isBusy || !first || !page) return;
    isBusy = true;
    const letter = first, body = letter.text;
    first = letter.next;
    letter.text = '';
    const end = (settle) => (value) => {
      isBusy = false;
      settle(letter, value);
      post();
    };
    const silent = end(() => failed(letter, 'onside dev does not answer; is it running?'));
    const answered = (response) => apply(
      then, apply(textOf, response, []), [end(apply(isOK, response, []) ? replied : failed), silent]);
    const request = { method: 'POST', body, cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' };
    apply(then, apply(ask, window, [address('messages', page), request]), [answered, silent]);
  };

  const open = () => {
    try {
      pushes = new Stream(address('events', page));
    } catch {
      // Safari's way to say that the page's policy forbids it.
      return later(refused, 100);
    }
    apply(listen, pushes, ['page', (event) => {
      // onside dev was started again, and knows nothing of this page: begin anew, as after any reload.
      if (page) return location.reload();
      page = apply(dataOf, event, []);
      post();
    }]);
    apply(listen, pushes, ['message', (event) => hear(apply(dataOf, event, []))]);
    apply(listen, pushes, ['error', ended]);
  };
  const ended = () => {
    if (!page) {
      apply(close, pushes, []);
      // The page's policy may be the reason; the browser says so in a task of its own.
      return later(refused, 100);
    }
    // It has stopped, or ended this page: what it was asked is not answered any more.
    lost('onside dev has ended this page');
    // The browser goes on trying, unless it was told not to: by another token, or because nobody listens there.
    if (apply(stateOf, pushes, []) === 2) comeBack();
  };
  const refused = () => giveUp(
    isForbidden
      ? `the Content-Security-Policy of this page forbids the connection: add ${origin} to its connect-src, while you develop`
      : 'onside dev does not take this page; its terminal says why');
  // Looks every second whether onside dev runs again. Pages that it serves itself get the tag of that run by a reload.
  const comeBack = () => {
    const isThere = () => {
      if (origin === location.origin) return location.reload();
      if (isOpenedAgain) {
        return giveUp('onside dev was started again with another token: give this page its new script tag, or start it '
          + 'with --token');
      }
      isOpenedAgain = true;
      open();
    };
    const lookAgain = () => {
      isOpenedAgain = false;
      later(comeBack, 1000);
    };
    const look = { mode: 'no-cors', cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' };
    apply(then, apply(ask, window, [href, look]), [isThere, lookAgain]);
  };
  apply(listen, document, ['securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    if (effectiveDirective === 'connect-src' && blockedURI.startsWith(origin)) isForbidden = true;
  }]);
  open();

  // A page that is only hidden for a while, and comes back, begins anew like any other.
  window.addEventListener('pagehide', () => { if (pushes) apply(close, pushes, []); });
  window.addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });

  return (letter) => {
    if (problem) return failed(letter, problem);
    if (first) last.next = letter;
    else first = letter;
    last = letter;
    post();
  };
}
