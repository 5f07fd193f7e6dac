/// The JavaScript between the page's world and native code in web views. Only strings cross, as details of DOM events.
enum WebKitScripts {
  /// The page's end: a connection for ``PageScript/facade``.
  ///
  /// The relay takes an event by preventing its default. One that nobody takes waits until the relay is there, or fails
  /// when the page has loaded without one, or when the relay was there and is gone (`document.open` removes listeners).
  static let pageConnection = #"""
    (hear) => {
      const { apply } = Reflect, { create } = Object, { substring, indexOf } = String.prototype;
      const NativeEvent = CustomEvent, { dispatchEvent } = EventTarget.prototype;
      const { get: detailOf } = Object.getOwnPropertyDescriptor(CustomEvent.prototype, 'detail');
      const { get: isTaken } = Object.getOwnPropertyDescriptor(Event.prototype, 'defaultPrevented');
      const waiting = create(null);
      let last = 0, wasThere = false, hasLoaded = false;
      const pass = (number) => {
        const event = new NativeEvent('onside:say', { detail: number + ' ' + waiting[number].text, cancelable: true });
        apply(dispatchEvent, window, [event]);
        return apply(isTaken, event, []);
      };
      const fail = (number, reason) => {
        const request = waiting[number];
        delete waiting[number];
        request.fail(reason);
      };
      const retry = () => {
        for (const number in waiting) {
          const request = waiting[number];
          if (request.isTaken) continue;
          request.isTaken = pass(number);
          if (!request.isTaken && hasLoaded) fail(number, 'nobody listens in this page');
        }
      };
      window.addEventListener('onside:hear', (event) => {
        const text = apply(detailOf, event, []);
        const kind = text[0], space = apply(indexOf, text, [' ']);
        const number = apply(substring, text, [1, space]), rest = apply(substring, text, [space + 1]);
        if (kind === 'h') {
          wasThere = true;
          retry();
        } else if (kind === 'p') {
          hear(rest);
        } else if (waiting[number]) {
          const request = waiting[number];
          delete waiting[number];
          if (kind === 'r') request.reply(rest);
          else request.fail(rest);
        }
      });
      window.addEventListener('load', () => {
        hasLoaded = true;
        retry();
      }, { once: true });
      hasLoaded = document.readyState === 'complete';
      return (text, replied, failed) => {
        last += 1;
        const request = create(null);
        request.text = text;
        request.reply = replied;
        request.fail = failed;
        waiting[last] = request;
        request.isTaken = pass(last);
        if (!request.isTaken && (wasThere || hasLoaded)) fail(last, 'nobody listens in this page');
      };
    }
    """#

  /// The other end, in a world of its own, where the page can touch nothing. It alone knows the way to native code.
  static let relay = #"""
    (() => {
      'use strict';
      const native = window.webkit.messageHandlers.onside;
      const tell = (text) => window.dispatchEvent(new CustomEvent('onside:hear', { detail: text }));
      window.addEventListener('onside:say', (event) => {
        const said = String(event.detail);
        const space = said.indexOf(' ');
        const number = said.substring(0, space);
        const answered = native.postMessage(said.substring(space + 1));
        event.preventDefault();
        answered.then(
          (reply) => typeof reply === 'string' ? tell(`r${number} ${reply}`) : tell(`f${number} it gave no answer`),
          (error) => tell(`f${number} ${error && error.message}`));
      });
      window.onsideReceive = (message) => {
        tell(`p ${message}`);
        return true;
      };
      tell('h ');
    })();
    """#
}
