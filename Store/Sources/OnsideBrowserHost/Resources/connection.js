// The page's end of the way to `onside dev`: messages go by POST and come back as its answer, the native side's own come
// as server-sent events. What is needed later is taken now, before any script of the page runs.
(hear, replied, failed, lost) => {
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const ask = window.fetch, { text: textOf } = Response.prototype;
  const { get: isOK } = Object.getOwnPropertyDescriptor(Response.prototype, 'ok');
  const { get: dataOf } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  const warn = console.warn.bind(console);

  const script = new URL(document.currentScript.src);
  const address = (path, page) => `${script.origin}/${path}?token=${script.searchParams.get('token')}&tab=${tab}&page=${page}`;
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

  let page = '', problem = '', isBusy = false, first, last;

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

  const pushes = new EventSource(address('events', page));
  pushes.addEventListener('page', (event) => {
    // onside dev was started again, and knows nothing of this page: begin anew, as after any reload.
    if (page) return location.reload();
    page = apply(dataOf, event, []);
    post();
  });
  pushes.addEventListener('message', (event) => hear(apply(dataOf, event, [])));
  pushes.addEventListener('error', () => {
    // It has stopped, or ended this page: what it was asked is not answered any more. The browser goes on trying.
    if (page) return lost('onside dev has ended this page');
    pushes.close();
    problem = 'onside dev does not take this page; its terminal says why';
    warn(`window.onside: ${problem}.`);
    for (; first; first = first.next) failed(first, problem);
  });

  // A page that is only hidden for a while, and comes back, begins anew like any other.
  window.addEventListener('pagehide', () => pushes.close());
  window.addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });

  return (letter) => {
    if (problem) return failed(letter, problem);
    if (first) last.next = letter;
    else first = letter;
    last = letter;
    post();
  };
}
