// Runs the measurement in a peer's web view and reports it; ?side= says which peer it is.
'use strict';

const script = (source) => new Promise((resolve, reject) => {
  const element = document.createElement('script');
  element.src = source;
  element.onload = resolve;
  element.onerror = reject;
  document.head.append(element);
});

const calls = {
  async pywebview() {
    if (!window.pywebview?.api?.storefront) {
      await new Promise((resolve) => window.addEventListener('pywebviewready', resolve, { once: true }));
    }
    return () => window.pywebview.api.storefront();
  },
  async qwebchannel() {
    await script('qrc:///qtwebchannel/qwebchannel.js');
    const channel = await new Promise((resolve) => new QWebChannel(qt.webChannelTransport, resolve));
    return () => new Promise((resolve) => channel.objects.bench.storefront(resolve));
  },
};

(async () => {
  const connect = calls[new URLSearchParams(location.search).get('side')];
  if (!connect) return;
  let result;
  try {
    result = await measure(await connect());
  } catch (error) {
    result = { error: String(error) };
  }
  await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
})();
