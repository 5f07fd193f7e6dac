// The page's connection to `onside dev`. Messages are sent by POST, and the response is the reply; the native side's
// own messages are server-sent events. Built-in functions are saved now, before a script of the page can replace them.
(receive, replied, failed, lost) => {
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const { fetch: nativeFetch, EventSource: Stream, setTimeout: schedule } = window;
  const { text: textOf } = Response.prototype;
  const { get: isOK } = Object.getOwnPropertyDescriptor(Response.prototype, 'ok');
  const { get: dataOf } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  const { get: stateOf } = Object.getOwnPropertyDescriptor(Stream.prototype, 'readyState');
  const { addEventListener: listen } = EventTarget.prototype, { close } = Stream.prototype;
  const warn = console.warn.bind(console);

  const script = new URL(document.currentScript.src), { href, origin } = script;
  const token = script.searchParams.get('token');
  const address = (path, page) => `${origin}/${path}?token=${token}&tab=${tab}&page=${page}`;
  // The name of the tab: it survives a reload, and differs between tabs.
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

  // In milliseconds: until the browser has reported a violated policy, and between two attempts to reconnect.
  const reportDelay = 100, retryDelay = 1000;
  let page = '', problem = '', isBusy = false, first, last, pushes, isOpenedAgain = false, isForbidden = false;

  // The connection failed for good: fails all queued messages.
  const failAll = (reason) => {
    problem = reason;
    warn(`window.onside: ${problem}.`);
    for (; first; first = first.next) failed(first, problem);
  };

  const forbidden =
    `the Content-Security-Policy of this page forbids the connection: add ${origin} to its connect-src, while you develop`;
  // Sends one message at a time, because two requests may arrive out of order.
  const post = () => {
    if (isBusy || !first || !page) return;
    isBusy = true;
    const message = first, body = message.text;
    first = message.next;
    message.text = '';
    const end = (settle) => (value) => {
      isBusy = false;
      settle(message, value);
      post();
    };
    // If a policy forbids the request, the browser reports that in a later task.
    const silent = end(() => schedule(
      () => failed(message, isForbidden ? forbidden : 'onside dev does not answer; is it running?'), reportDelay));
    const answered = (response) => apply(
      then, apply(textOf, response, []), [end(apply(isOK, response, []) ? replied : failed), silent]);
    const request = { method: 'POST', body, cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' };
    apply(then, apply(nativeFetch, window, [address('messages', page), request]), [answered, silent]);
  };

  const open = () => {
    try {
      pushes = new Stream(address('events', page));
    } catch {
      // Safari throws when the page's policy forbids the connection.
      return schedule(refused, reportDelay);
    }
    apply(listen, pushes, ['page', (event) => {
      // onside dev was restarted and does not know this page: reload it.
      if (page) return location.reload();
      page = apply(dataOf, event, []);
      post();
    }]);
    apply(listen, pushes, ['message', (event) => receive(apply(dataOf, event, []))]);
    apply(listen, pushes, ['error', ended]);
  };
  const ended = () => {
    if (!page) {
      apply(close, pushes, []);
      // The page's policy may be the reason; the browser reports that in a later task.
      return schedule(refused, reportDelay);
    }
    // onside dev has stopped, or has ended this page: open calls get no reply.
    lost('onside dev has ended this page');
    // EventSource reconnects by itself. It is closed (2) after a refusal (another token) or if no process listens.
    if (apply(stateOf, pushes, []) === 2) reconnect();
  };
  const refused = () => failAll(isForbidden ? forbidden : 'onside dev does not take this page; its terminal says why');
  // Checks every second whether onside dev runs again. A page that it serves gets the new script tag by a reload.
  const reconnect = () => {
    const found = () => {
      if (origin === location.origin) return location.reload();
      if (isOpenedAgain) {
        return failAll('onside dev was started again with another token: give this page its new script tag, or start '
          + 'it with --token');
      }
      isOpenedAgain = true;
      open();
    };
    const retryLater = () => {
      isOpenedAgain = false;
      schedule(reconnect, retryDelay);
    };
    const probe = { mode: 'no-cors', cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' };
    apply(then, apply(nativeFetch, window, [href, probe]), [found, retryLater]);
  };
  apply(listen, document, ['securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    if (effectiveDirective === 'connect-src' && blockedURI.startsWith(origin)) isForbidden = true;
  }]);
  open();

  // A page that is restored from the back/forward cache is reloaded.
  window.addEventListener('pagehide', () => { if (pushes) apply(close, pushes, []); });
  window.addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });

  return (message) => {
    if (problem) return failed(message, problem);
    if (first) last.next = message;
    else first = message;
    last = message;
    post();
  };
}
