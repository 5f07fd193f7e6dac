/// Expressions that measure a page in the browser; each gives a list of what is wrong.
public enum PageProbe {
  /// Texts whose contrast with what is really behind them is below WCAG 2.2 AA.
  public static let contrast = #"""
    (() => {
      const parse = c => (c.match(/[\d.]+/g) || []).map(Number);
      const luminance = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255;
        return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4) });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b };
      const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
        if (c.length === 3 || c[3] === 1) return c } return [255, 255, 255] };
      const faults = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let n = walker.nextNode(); n; n = walker.nextNode()) {
        const e = n.parentElement;
        if (!n.data.trim() || !e.checkVisibility() || e.closest('.visually-hidden,.skip,option')) continue;
        const style = getComputedStyle(e), size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
        const [a, b] = [luminance(parse(style.color)), luminance(ground(e))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < (large ? 3 : 4.5)) faults.push(n.data.trim().slice(0, 30) + ': ' + ratio.toFixed(2));
      }
      return faults;
    })()
    """#

  /// Things to press that are smaller than 44 by 44 pixels; links within a text may be (WCAG 2.2, 2.5.8).
  public static let targets = #"""
    [...document.querySelectorAll('a,button,select,summary,label,input:not([type=hidden])')].filter(e => {
      if (!e.checkVisibility() || e.matches('.skip,.visually-hidden,p a') || e.matches('label[for]')) return false;
      if (e.matches('input[type=radio],input[type=checkbox]')) return false;
      const r = e.getBoundingClientRect();
      return r.height < 44 || r.width < 44;
    }).map(e => e.outerHTML.slice(0, 80) + ' ' + e.getBoundingClientRect().height)
    """#

  /// What assistive technology would stumble over: fields without a label of their own, ids that come twice, references
  /// that lead nowhere, lists with other children than entries, the same words on buttons that nothing tells apart.
  public static let structure = #"""
    (() => {
      const faults = [], all = [...document.querySelectorAll('*')].filter(e => e.checkVisibility());
      const tag = e => e.outerHTML.slice(0, 80);
      for (const e of all) {
        if (e.matches('input:not([type=hidden]),select,textarea') && !e.labels.length) faults.push('no label: ' + tag(e));
        if (e.matches('[aria-invalid=true]') && !e.getAttribute('aria-describedby')) faults.push('no reason: ' + tag(e));
        if (e.id && document.querySelectorAll('[id="' + CSS.escape(e.id) + '"]').length > 1) faults.push('twice: ' + e.id);
        for (const a of ['aria-describedby', 'aria-labelledby', 'for'])
          for (const id of (e.getAttribute(a) || '').split(' ').filter(Boolean))
            if (!document.getElementById(id)) faults.push(a + ' leads nowhere: ' + id);
        if (e.matches('ul,ol') && [...e.children].some(c => c.tagName !== 'LI')) faults.push('list: ' + tag(e));
        if (e.matches('fieldset') && !e.querySelector('legend')) faults.push('no legend: ' + tag(e));
        if (e.matches('section') && !e.getAttribute('aria-labelledby')) faults.push('no name: ' + tag(e));
      }
      const seen = new Map();
      for (const e of document.querySelectorAll('button')) {
        const key = e.textContent.trim() + '|' + (e.getAttribute('aria-describedby') || '');
        if (seen.has(key)) faults.push('told apart by nothing: ' + key);
        seen.set(key, e);
      }
      return faults;
    })()
    """#

  /// Whether something makes the page wider than the window.
  public static let overflow = #"""
    document.documentElement.scrollWidth <= innerWidth ? [] :
      [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.outerHTML.slice(0, 80))
    """#

  /// A mark of the focused element: what it is, where it stands in the document, and whether the focus can be seen.
  public static let focus = #"""
    (() => { const e = document.activeElement; if (!e || e === document.body) return [];
      const shown = e.matches('.choice input') ? e.closest('.choice') : e;
      const style = getComputedStyle(shown);
      const all = [...document.querySelectorAll('*')];
      return [String(all.indexOf(e)), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 ? 'seen' : 'unseen',
        e.outerHTML.slice(0, 60)] })()
    """#
}
