(connect, functions, plain, optional, fireAndForget, callbacks) => {
  'use strict';
  if (window.origin === 'null' || Object.getOwnPropertyDescriptor(window, 'onside')) return;
  const { parse, stringify } = JSON, { apply } = Reflect;
  const { create, defineProperty, hasOwn: has } = Object;
  const NativePromise = Promise, NativeError = Error;
  const { then } = Promise.prototype, { resolve: resolved } = Promise;
  const { defineProperty: defineOwn, deleteProperty: deleteOwn } = Reflect;
  const NativeController = AbortController, { abort } = NativeController.prototype;
  const { get: signalOf } = Object.getOwnPropertyDescriptor(NativeController.prototype, 'signal');
  const defer = queueMicrotask, report = console.error.bind(console);

  // Settling

  const pending = new Map();
  for (const name of ['get', 'set', 'delete', 'forEach']) defineProperty(pending, name, { value: pending[name] });
  let lastID = 0;
  const settle = (id, isFulfilled, value) => {
    const call = pending.get(id);
    if (!call) return;
    pending.delete(id);
    if (isFulfilled) call.resolve(value);
    else call.reject(value);
  };
  const bridgeError = (code, message) => {
    const error = new NativeError(message), property = create(null);
    property.configurable = property.writable = true;
    property.value = 'OnsideBridgeError';
    defineProperty(error, 'name', property);
    property.value = code;
    defineProperty(error, 'code', property);
    return error;
  };

  // Receiving. The app numbers its messages to one page. They are handled in that order; those that came early, and
  // the ones behind them, each in a task of its own, so that handlers of promises settled before have run.

  const maximumEarlyMessages = 1000;
  const channel = new MessageChannel(), { postMessage } = MessagePort.prototype;
  let page, expected = 1, held = create(null), missed = create(null);
  let early = create(null), earlyCount = 0, isPumping = false, mayMiss = false, firstAfterReturn = 0;
  const each = (message, name, handleOne) => {
    if (!has(message, name)) return;
    const all = message[name];
    for (let index = 0; index < all.length; index += 1) handleOne(all[index]);
  };
  const handle = (message) => {
    each(message, 'events', receiveEvent);
    each(message, 'gates', receiveGate);
    each(message, 'withdrawn', withdraw);
    if (has(message, 'heartbeat')) enqueue('{"alive":{}}', false);
    each(message, 'results', receiveResult);
  };
  const schedulePump = () => {
    isPumping = true;
    apply(postMessage, channel.port1, [null]);
  };
  const skipMissing = () => {
    let lowest = 0;
    for (const number in held) if (!lowest || +number < lowest) lowest = +number;
    for (; expected < lowest; expected += 1) missed[expected] = true;
  };
  channel.port2.onmessage = () => {
    if (!held[expected] && mayMiss) skipMissing();
    const message = held[expected];
    isPumping = false;
    if (!message) return;
    delete held[expected];
    expected += 1;
    schedulePump();
    handle(message);
  };
  const receiveNumbered = (message) => {
    const { number } = message;
    if (missed[number]) {
      delete missed[number];
      handle(message);
    } else if (number === expected && !isPumping) {
      expected += 1;
      if (held[expected]) schedulePump();
      handle(message);
    } else if (number >= expected) {
      held[number] = message;
      if (mayMiss && !isPumping) schedulePump();
    }
  };
  const receive = (text) => {
    let message;
    try {
      message = parse(text);
    } catch (error) {
      mayMiss = true;
      return report(error);
    }
    if (message.page === page) receiveNumbered(message);
    else if (earlyCount < maximumEarlyMessages) early[earlyCount++] = text;
  };
  // A document that is restored from the history, or by an app that was started anew, has a new page in the app.
  // The calls to the former page are lost.
  const adopt = (newPage) => {
    page = newPage;
    expected = 1;
    held = create(null);
    missed = create(null);
    for (const id in openGates) withdraw(id);
    pending.forEach(({ message: { page: asked } }, id) => {
      if (asked === undefined ? id >= firstAfterReturn : asked === newPage) return;
      settle(id, false, bridgeError('bridgeDetached', 'The page was left before the app answered'));
    });
  };
  const receiveEarly = () => {
    const texts = early, count = earlyCount;
    early = create(null);
    earlyCount = 0;
    // Not in this task: the reply in it has settled promises.
    if (!isPumping) schedulePump();
    for (let index = 0; index < count; index += 1) receive(texts[index]);
  };
  const receiveResult = (result) => {
    if (has(result, 'rejection')) settle(result.id, false, result.rejection);
    else if (has(result, 'error')) settle(result.id, false, bridgeError(result.error.code, result.error.message));
    else settle(result.id, true, has(result, 'value') ? result.value : undefined);
  };
  const handler = (name) => {
    try {
      const value = has(onside, name) ? onside[name] : undefined;
      return typeof value === 'function' ? value : undefined;
    } catch (error) {
      report(error); // a getter of the page's
    }
  };
  // The app sends an event when the page has a handler for it. One whose handler was removed meanwhile waits here.
  let waiting = create(null), waitingCount = 0;
  // The app delivers a revocation to later pages, and at later starts, until a handler for it has returned, and the
  // promise that it returned is fulfilled.
  const deliveryOf = ({ name, argument }) => {
    if (name !== 'onTransactionsRevoked') return undefined;
    let ids = '';
    for (let index = 0; index < argument.length; index += 1) ids += `${ids ? ',' : ''}"${argument[index].id}"`;
    return `{"delivered":{"revocations":[${ids}]}}`;
  };
  const receiveEvent = (event) => {
    const callback = handler(event.name);
    if (!callback) {
      waiting[waitingCount++] = event;
      return;
    }
    const delivery = deliveryOf(event);
    try {
      const value = apply(callback, bridge, has(event, 'argument') ? [event.argument] : []);
      if (!delivery) return;
      if (!value) enqueue(delivery, false);
      else apply(then, apply(resolved, NativePromise, [value]), [() => { enqueue(delivery, false); }]);
    } catch (error) {
      report(error);
    }
  };
  const receiveWaiting = () => {
    const events = waiting, count = waitingCount;
    waiting = create(null);
    waitingCount = 0;
    for (let index = 0; index < count; index += 1) receiveEvent(events[index]);
  };
  // The gates that the page has not answered. Their signals say that an answer is not needed any more.
  const openGates = create(null);
  const withdraw = (id) => {
    const controller = openGates[id];
    delete openGates[id];
    if (controller) apply(abort, controller, []);
  };
  const receiveGate = ({ id, name, argument }) => {
    const controller = openGates[id] = new NativeController();
    const answer = (value) => {
      if (openGates[id] !== controller) return;
      delete openGates[id];
      enqueue(`{"answer":{"gate":${id},"value":${value !== false}}}`, false);
    };
    const failed = (error) => {
      report(error);
      answer(true);
    };
    const callback = handler(name);
    if (!callback) return answer(true);
    try {
      const value = apply(callback, bridge, [{ ...argument, signal: apply(signalOf, controller, []) }]);
      if (typeof value === 'boolean') answer(value);
      else apply(then, apply(resolved, NativePromise, [value]), [answer, failed]);
    } catch (error) {
      failed(error);
    }
  };

  // Sending, in items of JSON; ``MessageFromPage`` describes them. The items of one turn are one message, or more when
  // there are many.

  // A batch beyond either, in UTF-16 units or calls, is closed before the next item.
  const maximumBatchLength = 1 << 18, maximumBatchCalls = 1000;
  let batch;
  const enqueue = (item, isCall) => {
    if (batch && (batch.text.length > maximumBatchLength || batch.calls > maximumBatchCalls)) flush();
    if (batch) {
      batch.text += ',' + item;
    } else {
      const first = isCall ? lastID : lastID + 1;
      batch = { text: '[' + item, first, calls: 0, pageAtStart: page, page: undefined, next: undefined };
      defer(flush);
    }
    if (isCall) batch.calls += 1;
    return batch;
  };
  const flush = () => {
    if (!batch) return;
    const closed = batch;
    batch = undefined;
    closed.text += ']';
    try {
      send(closed);
    } catch {
      failed(closed, 'the connection failed');
    }
  };
  const refuse = ({ first, calls }, code, reason) => {
    for (let id = first; id < first + calls; id += 1) settle(id, false, bridgeError(code, reason));
  };
  const replied = (to, text) => {
    let message;
    try {
      message = parse(text);
    } catch {
      return failed(to, 'it gave no answer');
    }
    const answering = has(message, 'page') ? message.page : undefined;
    if (answering !== page && answering && page === to.pageAtStart) adopt(answering);
    to.page = answering;
    if (answering === page && has(message, 'number')) receiveNumbered(message);
    if (has(message, 'error')) refuse(to, message.error.code, message.error.message);
    else if (answering !== page) refuse(to, 'bridgeDetached', 'The page was left before the app answered');
    if (earlyCount) receiveEarly();
  };
  const failed = (to, reason) => {
    mayMiss = true;
    if (!isPumping) schedulePump();
    refuse(to, 'bridgeDetached', `The app cannot be reached: ${reason}`);
  };

  const unreachable = (reason) => bridgeError('bridgeDetached', `The app cannot be reached: ${reason}`);
  const lost = (reason) => pending.forEach((_, id) => settle(id, false, unreachable(reason)));

  // Handlers. The app learns their names at the end of the turn in which a page has set or removed some, and again
  // when the page is ready.

  let announced, isAnnouncing = false;
  const announce = (isReady) => {
    let names = '';
    for (let index = 0; index < callbacks.length; index += 1) {
      if (handler(callbacks[index])) names += `${names ? ',' : ''}"${callbacks[index]}"`;
    }
    if (names !== announced || isReady) enqueue(`{"handlers":{"names":[${names}]}}`, false);
    announced = names;
  };
  const handlersChanged = () => {
    if (isAnnouncing) return;
    isAnnouncing = true;
    defer(() => {
      isAnnouncing = false;
      receiveWaiting();
      announce(false);
    });
  };

  // window.onside

  const parametersOf = (name, parameters) => {
    let text, problem = `a ${typeof parameters} has none`;
    try {
      text = parameters === undefined ? '' : stringify(parameters);
      if (text) text = `,"parameters":${stringify(text)}`;
    } catch (error) {
      problem = 'turning them into JSON threw';
      try { problem += ` ${error}`; } catch {}
    }
    if (text !== undefined) return text;
    throw bridgeError('parametersNotRepresentable', `${name} expects parameters that have a JSON form; ${problem}`);
  };
  const call = (name, parameters) => new NativePromise((resolve, reject) => {
    const rest = parametersOf(name, parameters);
    const id = lastID += 1;
    const message = enqueue(`{"call":{"id":${id},"function":"${name}"${rest}}}`, true);
    pending.set(id, { resolve, reject, message });
  });
  const callAndForget = (name, parameters) => {
    try { apply(then, call(name, parameters), [undefined, report]); } catch {}
  };
  const onside = {};
  // `button.onclick = onside.logout` passes an event: a function without parameters ignores arguments, and one with an
  // optional parameter ignores objects.
  const makeFunction = (name) => {
    const isPlain = plain.includes(name), isOptional = optional.includes(name);
    const used = (value) => (isPlain || (isOptional && typeof value === 'object') ? undefined : value);
    return fireAndForget.includes(name)
      ? { [name](value) { callAndForget(name, used(value)); } }[name]
      : { [name](value) { return call(name, used(value)); } }[name];
  };
  const define = (name, value) =>
    defineProperty(onside, name, { value, writable: true, enumerable: true, configurable: true });
  for (let index = 0; index < functions.length; index += 1) define(functions[index], makeFunction(functions[index]));
  for (let index = 0; index < callbacks.length; index += 1) define(callbacks[index], undefined);
  // A page sets a handler by assignment or definition, and removes it by either or by deletion.
  const traps = create(null);
  traps.defineProperty = (target, name, descriptor) => {
    handlersChanged();
    return defineOwn(target, name, descriptor);
  };
  traps.deleteProperty = (target, name) => {
    handlersChanged();
    return deleteOwn(target, name);
  };
  const bridge = new Proxy(onside, traps);
  // Configurable, or else `const { onside } = window` in a classic script is a redeclaration, which stops that
  // script. Writable, so that tests of a page can replace it.
  defineProperty(window, 'onside', { value: bridge, writable: true, enumerable: true, configurable: true });
  const send = connect(receive, replied, failed, lost);
  const ready = () => {
    announce(true);
    enqueue('{"ready":{}}', false);
  };
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    firstAfterReturn = lastID + 1;
    ready();
  });
  if (document.readyState === 'complete') ready();
  else window.addEventListener('load', ready, { once: true });
}
