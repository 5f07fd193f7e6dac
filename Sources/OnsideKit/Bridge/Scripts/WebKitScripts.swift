/// The JavaScript between the page's world and native code in web views.
///
/// Only texts cross. They lie in a comment node that is in no document: no script of the page can reach it, and
/// `document.open`, which removes the listeners of window and document, does not affect it. Either side puts a text
/// there and dispatches an event that names its kind; the other side takes the text out at once. This is faster than
/// texts as details of events, which are cloned between script worlds. Reusing the same few events saves time, too.
///
/// The node is handed over as a mouse event's related target, before any script of the page runs. The script that
/// starts first waits for the other's greeting.
enum WebKitScripts {
  /// The page's end: a connection for ``PageScript/facade``.
  ///
  /// The relay takes a text by emptying the node. A text that is sent before the relay exists waits for it; a call
  /// fails when the page has loaded without a relay. Replies arrive in the order of the calls.
  static let pageConnection = #"""
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
    """#

  /// The relay's script, in a script world of its own that the page cannot access. Only that world has the message
  /// handler of native code.
  static let relay = #"""
    (() => {
      'use strict';
      // A document that its server has sandboxed is at an allowed address, and is not of that origin. The page cannot
      // change what this world sees. `document.open` lets scripts run a second time in the same document.
      if (window.origin === 'null' || window.onsideReceive) return;
      const native = window.webkit.messageHandlers.onside;
      const push = new Event('push'), reply = new Event('reply'), failure = new Event('failure');
      const early = [];
      let wire;
      const tell = (event, text) => {
        wire.data = text;
        wire.dispatchEvent(event);
      };
      const replied = (text) => (typeof text === 'string' ? tell(reply, text) : failed());
      const failed = (error) => tell(failure, error ? String(error.message) : 'it gave no answer');
      const say = () => {
        const answer = native.postMessage(wire.data);
        wire.data = '';
        answer.then(replied, failed);
      };
      const meet = (event) => {
        if (wire) return;
        wire = event.relatedTarget;
        wire.addEventListener('say', say);
        event.preventDefault();
        for (const text of early.splice(0)) tell(push, text);
      };
      window.onsideReceive = (message) => {
        if (wire) tell(push, message);
        else early.push(message);
        return true;
      };
      window.addEventListener('onside:page', meet);
      window.dispatchEvent(new CustomEvent('onside:relay'));
    })();
    """#
}
