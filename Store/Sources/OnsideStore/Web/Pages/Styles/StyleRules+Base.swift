extension StyleRules {
  /// Text, links, focus and motion.
  static let base = """
    *,*::before,*::after{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{
      margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;
      background:var(--background);color:var(--ink);
      font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic","Helvetica Neue",Arial,sans-serif;
      overflow-wrap:break-word;
    }
    h1,h2,h3,p,ul,ol,dl,dd,fieldset,legend{margin:0;padding:0}
    h1{font-size:1.625rem;line-height:1.2;font-weight:700;letter-spacing:-.015em;text-wrap:balance}
    h2{font-size:1.125rem;line-height:1.3;font-weight:650;letter-spacing:-.005em}
    h3{font-size:1rem;line-height:1.35;font-weight:650}
    [lang=ar] h1,[lang=ar] h2{letter-spacing:0;line-height:1.4}
    ul,ol{list-style:none}
    fieldset{border:0;min-width:0}
    svg{display:block;flex:none}
    a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:.08em}
    a:hover{text-decoration-thickness:.14em}
    code,.mono,.input.mono{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
    code,.mono{font-size:.875em}
    :focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:.375rem}
    :root[dir=ltr] [dir=auto]{text-align:left}
    :root[dir=rtl] [dir=auto]{text-align:right}
    .muted{color:var(--muted)}
    .small{font-size:.875rem}
    .number{unicode-bidi:isolate;direction:ltr;white-space:nowrap;font-variant-numeric:tabular-nums}
    .visually-hidden{
      position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap;
    }
    @media (prefers-reduced-motion:reduce){
      *,*::before,*::after{animation-duration:.01ms!important;animation-iteration-count:1!important;transition:none!important}
    }
    @media (forced-colors:active){.button,.choice,.card{border:1px solid}}
    """
}
