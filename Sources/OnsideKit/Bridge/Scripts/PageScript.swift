/// The JavaScript of the page's side: it puts `window.onside` into the page.
///
/// Everything that it needs later it takes at document start, before any script of the page runs, and it uses no method
/// that a page could replace: loops over indices instead of iterators, objects without prototypes instead of maps.
enum PageScript {
  /// `(connect, functions, quiet, callbacks) => void`; see ``BridgeScript/page(connection:)`` for `connect`.
  static let facade = #"""
    (connect, functions, quiet, callbacks) => {
      'use strict';
      if (window.origin === 'null' || Object.getOwnPropertyDescriptor(window, 'onside')) return;
      const { parse, stringify } = JSON;
      const { apply, setPrototypeOf } = Reflect;
      const { create, defineProperty, freeze, preventExtensions } = Object;
      const NativePromise = Promise, NativeError = Error;
      const { then } = Promise.prototype, { resolve: resolved } = Promise, { hasOwnProperty } = Object.prototype;
      const soon = queueMicrotask, nativeConsole = console, { error: logError } = console;
      const isQuiet = create(null);
      for (let index = 0; index < quiet.length; index += 1) isQuiet[quiet[index]] = true;
      const has = (object, name) => apply(hasOwnProperty, object, [name]);
      const report = (error) => apply(logError, nativeConsole, [error]);
      const ignore = () => {};

      // Settling

      const pending = create(null);
      let lastID = 0;
      const settle = (id, isFulfilled, value) => {
        const call = pending[id];
        if (!call) return;
        delete pending[id];
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

      // Hearing. The app numbers what it says to one page. Messages are handled in that order; those that came early, and
      // what is behind them, each in a task of its own, so that promises settled before have been heard of.

      const channel = new MessageChannel(), { postMessage } = MessagePort.prototype;
      let page, expected = 1, held = create(null), missed = create(null);
      let early = create(null), earlyCount = 0, isPumping = false, mayMiss = false, firstAfterReturn = 0;
      const handle = ({ events, gates, results }) => {
        if (events) for (let index = 0; index < events.length; index += 1) hearEvent(events[index]);
        if (gates) for (let index = 0; index < gates.length; index += 1) hearGate(gates[index]);
        if (results) for (let index = 0; index < results.length; index += 1) hearResult(results[index]);
      };
      const pumpSoon = () => {
        isPumping = true;
        apply(postMessage, channel.port1, [null]);
      };
      const skip = () => {
        let lowest = 0;
        for (const number in held) if (!lowest || +number < lowest) lowest = +number;
        for (; expected < lowest; expected += 1) missed[expected] = true;
      };
      channel.port2.onmessage = () => {
        if (!held[expected] && mayMiss) skip();
        const message = held[expected];
        isPumping = false;
        if (!message) return;
        delete held[expected];
        expected += 1;
        pumpSoon();
        handle(message);
      };
      const hearNumbered = (message) => {
        const { number } = message;
        if (missed[number]) {
          delete missed[number];
          handle(message);
        } else if (number === expected && !isPumping) {
          expected += 1;
          if (held[expected]) pumpSoon();
          handle(message);
        } else if (number >= expected) {
          held[number] = message;
          if (mayMiss && !isPumping) pumpSoon();
        }
      };
      const read = (text) => {
        const message = parse(text);
        setPrototypeOf(message, null);
        return message;
      };
      const hear = (text) => {
        let message;
        try {
          message = read(text);
        } catch (error) {
          mayMiss = true;
          return report(error);
        }
        if (message.page === page) hearNumbered(message);
        else if (earlyCount < 1000) early[earlyCount++] = text;
      };
      // A document that comes back from the history, or to an app that was started anew, has another page there. What the
      // former one was asked is lost.
      const adopt = (newPage) => {
        page = newPage;
        expected = 1;
        held = create(null);
        missed = create(null);
        for (const id in pending) {
          const { page: asked } = pending[id];
          if (asked === undefined ? +id >= firstAfterReturn : asked === newPage) continue;
          settle(id, false, bridgeError('bridgeDetached', 'The page was left before the app answered'));
        }
      };
      const hearEarly = () => {
        const texts = early, count = earlyCount;
        early = create(null);
        earlyCount = 0;
        for (let index = 0; index < count; index += 1) hear(texts[index]);
      };
      const hearResult = (result) => {
        if (has(result, 'rejection')) settle(result.id, false, result.rejection);
        else if (has(result, 'error')) settle(result.id, false, bridgeError(result.error.code, result.error.message));
        else settle(result.id, true, has(result, 'value') ? result.value : undefined);
      };
      const handler = (name) => {
        const value = has(onside, name) ? onside[name] : undefined;
        return typeof value === 'function' ? value : undefined;
      };
      const hearEvent = (event) => {
        const callback = handler(event.name);
        if (!callback) return;
        try {
          apply(callback, onside, has(event, 'argument') ? [event.argument] : []);
        } catch (error) {
          report(error);
        }
      };
      const hearGate = ({ id, name, argument }) => {
        const answer = (value) => say(`answer ${id} ${value === false ? 'false' : 'true'}`);
        const failed = (error) => {
          report(error);
          answer(true);
        };
        const callback = handler(name);
        if (!callback) return answer(true);
        try {
          const value = apply(callback, onside, [argument]);
          if (typeof value === 'boolean') answer(value);
          else apply(then, apply(resolved, NativePromise, [value]), [answer, failed]);
        } catch (error) {
          failed(error);
        }
      };

      // Saying, in lines; ``PageMessage`` describes them. What is said in one turn is one message, unless it is much.

      let letter;
      const say = (line, id) => {
        if (letter && (letter.text.length > 262144 || letter.calls > 1000)) post();
        if (!letter) {
          letter = create(null);
          letter.calls = 0;
          letter.first = lastID + (id ? 0 : 1);
          soon(post);
        }
        letter.text = letter.text === undefined ? line : letter.text + '\n' + line;
        if (id) letter.calls += 1;
      };
      const post = () => {
        if (!letter) return;
        const { first, calls, text } = letter, pageThen = page;
        letter = undefined;
        const refuse = (code, reason) => {
          for (let id = first; id < first + calls; id += 1) settle(id, false, bridgeError(code, reason));
        };
        const replied = (reply) => {
          let message;
          try {
            message = read(reply);
          } catch {
            return failed('it gave no answer');
          }
          if (message.page && message.page !== page && page === pageThen) adopt(message.page);
          for (let id = first; id < first + calls; id += 1) if (pending[id]) pending[id].page = message.page;
          if (message.number && message.page === page) hearNumbered(message);
          if (message.error) refuse(message.error.code, message.error.message);
          else if (message.page !== page) refuse('bridgeDetached', 'The page was left before the app answered');
          if (earlyCount) hearEarly();
        };
        const failed = (reason) => {
          mayMiss = true;
          if (!isPumping) pumpSoon();
          refuse('bridgeDetached', `The app cannot be reached: ${reason}`);
        };
        try {
          send(text, replied, failed);
        } catch {
          failed('the connection failed');
        }
      };

      // window.onside

      const jsonOf = (name, parameters) => {
        let text, problem = `a ${typeof parameters} has none`;
        try {
          text = parameters === undefined ? '' : stringify(parameters);
        } catch (error) {
          problem = 'turning them into JSON threw';
          try { problem += ` ${error}`; } catch {}
        }
        if (text !== undefined) return text;
        throw bridgeError('parametersNotRepresentable', `${name} expects parameters that have a JSON form; ${problem}`);
      };
      const call = (name, parameters) => new NativePromise((resolve, reject) => {
        const text = jsonOf(name, parameters);
        lastID += 1;
        const entry = create(null);
        entry.resolve = resolve;
        entry.reject = reject;
        pending[lastID] = entry;
        say(text === '' ? `call ${lastID} ${name}` : `call ${lastID} ${name} ${text}`, lastID);
      });
      const hush = (promise) => {
        try { apply(then, promise, [undefined, ignore]); } catch {}
        return promise;
      };
      const onside = {};
      for (let index = 0; index < functions.length; index += 1) {
        const name = functions[index];
        const value = isQuiet[name]
          ? { [name](parameters) { return hush(call(name, parameters)); } }[name]
          : { [name](parameters) { return call(name, parameters); } }[name];
        defineProperty(onside, name, { value: freeze(value), enumerable: true });
      }
      for (let index = 0; index < callbacks.length; index += 1) {
        defineProperty(onside, callbacks[index], { value: undefined, writable: true, enumerable: true });
      }
      defineProperty(window, 'onside', { value: preventExtensions(onside), enumerable: true });
      const send = connect(hear);
      const ready = () => say('ready');
      window.addEventListener('pageshow', ({ persisted }) => {
        if (!persisted) return;
        firstAfterReturn = lastID + 1;
        ready();
      });
      if (document.readyState === 'complete') ready();
      else window.addEventListener('load', ready, { once: true });
    }
    """#
}
