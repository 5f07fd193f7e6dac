extension StyleRules {
  /// Badges, notices, product cards, lists of facts and the bank.
  static let components = """
    .badge{
      display:inline-flex;align-items:center;gap:.375rem;padding:.1875rem .625rem;border-radius:99rem;
      background:var(--notice-soft);color:var(--notice);font-size:.75rem;font-weight:650;line-height:1.4;white-space:nowrap;
    }
    .badge.good{background:var(--accent-soft);color:var(--accent)}
    .badge.bad{background:var(--danger-soft);color:var(--danger)}
    .badge.plain{background:var(--raised);color:var(--muted);box-shadow:inset 0 0 0 1px var(--line);white-space:normal}
    .notice{display:flex;gap:.75rem;align-items:flex-start;padding:.875rem 1rem;border-radius:1rem;
      background:var(--notice-soft);font-size:.9375rem}
    .notice svg{margin-top:.125rem;color:var(--notice)}
    .notice.bad{background:var(--danger-soft)}
    .notice.bad svg{color:var(--danger)}
    .notice.good{background:var(--accent-soft)}
    .notice.good svg{color:var(--accent)}
    .tile{display:grid;place-items:center;flex:none;width:3rem;height:3rem;border-radius:.9375rem;
      background:var(--accent-soft);color:var(--accent);font-size:1.25rem;font-weight:700}
    .app{display:flex;align-items:center;gap:1rem;color:inherit;text-decoration:none;transition:border-color .12s ease}
    .app:hover{border-color:var(--accent)}
    .app .arrow{margin-inline-start:auto;color:var(--muted)}
    [dir=rtl] .arrow,[dir=rtl] .back svg{transform:scaleX(-1)}
    .product{display:flex;flex-direction:column;gap:.75rem}
    .product form,.product .owned{margin-top:auto;padding-top:.5rem}
    .owned{min-height:3.5rem}
    .owned .button.plain{padding-inline:.625rem;margin-inline:-.625rem}
    .owned .badge{white-space:normal;padding:.375rem .75rem;font-size:.875rem}
    .owned .badge svg{width:1rem;height:1rem}
    .price{font-size:1.375rem;font-weight:700;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
    .price small{font-size:.875rem;font-weight:500;color:var(--muted);letter-spacing:0}
    .offer{color:var(--accent);font-size:.875rem;font-weight:600}
    .total{display:flex;align-items:baseline;justify-content:space-between;gap:1rem;padding-top:1rem;border-top:1px solid var(--line)}
    .total .price{font-size:1.625rem}
    .facts{display:flex;flex-direction:column}
    .facts>div{display:flex;justify-content:space-between;gap:1rem;padding:.6875rem 0;border-bottom:1px solid var(--line)}
    .facts>div:last-child{border-bottom:0}
    .facts>.tall{flex-direction:column;gap:.125rem}
    .facts>.tall dd{text-align:start}
    .facts dt{color:var(--muted);flex:none}
    .facts dd{text-align:end;min-width:0;font-weight:550}
    .facts .mono{overflow-wrap:anywhere;font-weight:400}
    .list>li{display:flex;align-items:center;gap:.875rem;padding:.875rem 0;border-bottom:1px solid var(--line)}
    .list>li:first-child{padding-top:0}
    .list>li:last-child{padding-bottom:0;border-bottom:0}
    .list .grow{flex:1;min-width:0}
    .list .button.small{padding-inline:.625rem}
    .list .button.plain{margin-inline-end:-.625rem}
    .list .actions{display:flex;gap:.5rem;flex-wrap:wrap;justify-content:flex-end}
    .ticks>li{display:flex;gap:.625rem;align-items:flex-start}
    .ticks svg{margin-top:.125rem;color:var(--accent)}
    .done{display:grid;place-items:center;width:4rem;height:4rem;border-radius:50%;background:var(--accent-soft);color:var(--accent)}
    .done svg{width:2rem;height:2rem}
    .spinner{width:3rem;height:3rem;border:4px solid var(--line);border-top-color:var(--accent);border-radius:50%;
      animation:spin 1s linear infinite}
    @keyframes spin{to{transform:rotate(1turn)}}
    details summary{min-height:2.75rem;display:flex;align-items:center;gap:.5rem;cursor:pointer;font-weight:600;color:var(--accent)}
    details summary::-webkit-details-marker{display:none}
    details summary::before{content:"";width:.5rem;height:.5rem;border:solid currentColor;border-width:0 2px 2px 0;
      transform:rotate(45deg);margin-inline:.25rem .375rem;transition:transform .12s ease}
    details[open] summary::before{transform:rotate(-135deg)}
    .bank{background:var(--background)}
    .bank .header{max-width:none;background:#12326f;color:#fff}
    .bank .brand,.bank .brand .mark{color:#fff}
    .bank .mark .line{stroke:#12326f}
    .bank .mark .player{fill:#12326f}
    .bank .card,.bank .button,.bank .choice,.bank .input{border-radius:.375rem}
    """
}
