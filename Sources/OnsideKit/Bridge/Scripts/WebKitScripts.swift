/// The JavaScript between the page's world and native code in web views. Only strings cross, as details of DOM events.
///
/// The events go over an element that is in no document: no script of the page can reach it, and `document.open`, which
/// removes the listeners of window and document, does not touch it. It is handed over as a mouse event's related target,
/// before any script of the page runs; whichever of the two scripts is first waits for the other's greeting.
enum WebKitScripts {
  /// The page's end: a connection for ``PageScript/facade``.
  ///
  /// The relay takes an event by preventing its default. One that is not taken waits until the relay is there; if the
  /// page has loaded without one, nobody will come.
  static let pageConnection = #"""
    (hear) => {
      const { apply } = Reflect, { create } = Object, { substring, indexOf } = String.prototype;
      const NativeEvent = CustomEvent, { dispatchEvent } = EventTarget.prototype;
      const { get: detailOf } = Object.getOwnPropertyDescriptor(CustomEvent.prototype, 'detail');
      const { get: isPrevented } = Object.getOwnPropertyDescriptor(Event.prototype, 'defaultPrevented');
      const wire = document.createElement('onside-wire'), waiting = create(null);
      let last = 0, isConnected = false, hasLoaded = document.readyState === 'complete';
      const isTaken = (target, event) => {
        apply(dispatchEvent, target, [event]);
        return apply(isPrevented, event, []);
      };
      const pass = (number) => {
        const request = waiting[number];
        const detail = number + ' ' + request.text;
        if (isConnected && isTaken(wire, new NativeEvent('say', { detail, cancelable: true }))) {
          request.text = '';
        } else if (isConnected || hasLoaded) {
          delete waiting[number];
          request.failed('nobody in this page passes it on');
        }
      };
      const passAll = () => {
        for (const number in waiting) if (waiting[number].text) pass(number);
      };
      const greet = () => {
        if (isConnected) return;
        isConnected = isTaken(window, new MouseEvent('onside:page', { relatedTarget: wire, cancelable: true }));
        passAll();
      };
      wire.addEventListener('hear', (event) => {
        const text = apply(detailOf, event, []), space = apply(indexOf, text, [' ']);
        const number = apply(substring, text, [1, space]), rest = apply(substring, text, [space + 1]);
        if (text[0] === 'p') return hear(rest);
        const request = waiting[number];
        if (!request) return;
        delete waiting[number];
        if (text[0] === 'r') request.replied(rest);
        else request.failed(rest);
      });
      window.addEventListener('onside:relay', greet);
      window.addEventListener('load', () => {
        hasLoaded = true;
        passAll();
      }, { once: true });
      greet();
      return (text, replied, failed) => {
        last += 1;
        const request = create(null);
        request.text = text;
        request.replied = replied;
        request.failed = failed;
        waiting[last] = request;
        pass(last);
      };
    }
    """#

  /// The other end, in a world of its own, where the page can touch nothing. It alone knows the way to native code.
  static let relay = #"""
    (() => {
      'use strict';
      // `document.open` lets scripts run a second time in the same document.
      if (window.onsideReceive) return;
      const native = window.webkit.messageHandlers.onside;
      let wire, early = [];
      const tell = (text) => {
        if (wire) wire.dispatchEvent(new CustomEvent('hear', { detail: text }));
        else early.push(text);
      };
      const say = (event) => {
        const said = String(event.detail), space = said.indexOf(' '), number = said.substring(0, space);
        const answered = native.postMessage(said.substring(space + 1));
        event.preventDefault();
        answered.then(
          (reply) => tell(typeof reply === 'string' ? `r${number} ${reply}` : `f${number} it gave no answer`),
          (error) => tell(`f${number} ${error && error.message}`));
      };
      const meet = (event) => {
        if (wire) return;
        wire = event.relatedTarget;
        wire.addEventListener('say', say);
        event.preventDefault();
        for (const text of early.splice(0)) tell(text);
      };
      window.onsideReceive = (message) => {
        tell(`p ${message}`);
        return true;
      };
      window.addEventListener('onside:page', meet);
      window.dispatchEvent(new CustomEvent('onside:relay'));
    })();
    """#
}
