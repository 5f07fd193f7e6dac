// The page's end of the way to `onside dev`: messages go by POST and come back as its answer, the native side's own come
// as server-sent events. What is needed later is taken now, before any script of the page runs.
(hear) => {
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

  let page = '', problem = '', isBusy = false, first = null, last = null;

  // One after the other: two requests may overtake each other.
  const post = () => {
    if (isBusy || !first || !page) return;
    isBusy = true;
    const { text, reply, fail } = first;
    first = first.next;
    const end = (settle) => (value) => {
      isBusy = false;
      settle(value);
      post();
    };
    const lost = end(() => fail('onside dev does not answer; is it running?'));
    const answered = (response) => apply(
      then, apply(textOf, response, []), [end(apply(isOK, response, []) ? reply : fail), lost]);
    const request = { method: 'POST', body: text, cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' };
    apply(then, apply(ask, window, [address('messages', page), request]), [answered, lost]);
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
    if (page) return;
    pushes.close();
    problem = 'onside dev does not take this page; its terminal says why';
    warn(`window.onside: ${problem}.`);
    for (; first; first = first.next) first.fail(problem);
  });

  // A page that is only hidden for a while, and comes back, begins anew like any other.
  window.addEventListener('pagehide', () => pushes.close());
  window.addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });

  return (text, reply, fail) => {
    if (problem) return fail(problem);
    const letter = { text, reply, fail, next: null };
    if (first) last.next = letter;
    else first = letter;
    last = letter;
    post();
  };
}
