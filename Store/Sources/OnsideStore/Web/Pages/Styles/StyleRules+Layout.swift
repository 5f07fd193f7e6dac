extension StyleRules {
  /// The frame of every page: header, one column of cards, footer.
  static let layout = """
    .skip{position:absolute;inset-inline-start:1rem;top:-4rem;padding:.75rem 1rem;border-radius:.75rem;
      background:var(--accent);color:var(--on-accent)}
    .skip:focus{top:.75rem}
    .header{
      display:flex;flex-wrap:wrap;align-items:center;gap:0 .75rem;width:100%;max-width:66rem;min-height:4rem;margin:0 auto;
      padding:.5rem 1.25rem;
    }
    .brand{display:inline-flex;align-items:center;gap:.625rem;min-height:2.75rem;font-weight:700;letter-spacing:-.01em;
      color:var(--ink);text-decoration:none}
    .brand .mark{color:var(--accent)}
    .mark .line{stroke:var(--background)}
    .mark .player{fill:var(--background)}
    .header nav{display:flex;align-items:center;gap:.25rem;margin-inline:auto -.75rem}
    .header nav a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .75rem;border-radius:.75rem;
      font-weight:600;font-size:.9375rem;text-decoration:none}
    .header nav a:hover{background:var(--accent-soft)}
    .main{flex:1;width:100%;max-width:66rem;margin:0 auto;padding:1rem 1.25rem 3rem}
    .main:focus{outline:none}
    .main.narrow,.header.narrow,form.narrow{max-width:29rem}
    .main.medium,.header.medium{max-width:42rem}
    .footer{width:100%;max-width:66rem;margin:0 auto;padding:1.25rem;color:var(--muted);font-size:.8125rem;text-align:center}
    .stack{display:flex;flex-direction:column;gap:1.25rem}
    .stack-small{display:flex;flex-direction:column;gap:.5rem}
    .stack-small .done{margin-bottom:.5rem}
    .secondary{display:flex;flex-direction:column;gap:.25rem}
    .row{display:flex;align-items:center;gap:.75rem;flex-wrap:wrap}
    .spread{justify-content:space-between}
    .grid{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr))}
    .card{
      padding:1.5rem;border:1px solid var(--line);border-radius:1.25rem;background:var(--surface);
      box-shadow:0 1px 2px rgb(12 24 20/.04),0 12px 32px -16px rgb(12 24 20/.14);
    }
    [data-theme=dark] .card{box-shadow:none}
    .lead{font-size:1.0625rem;color:var(--muted);max-width:38rem}
    .hero{padding:1.5rem 0 .5rem}
    .hero h1{font-size:clamp(1.875rem,1.4rem + 2.2vw,2.75rem)}
    .section{margin-top:2rem}
    .section>h2{margin-bottom:1rem}
    @media (min-width:40rem){
      .main{padding-top:2rem}
      .card{padding:2rem}
      .grid .card{padding:1.5rem}
    }
    @media (prefers-color-scheme:dark){:root:not([data-theme=light]) .card{box-shadow:none}}
    """
}
