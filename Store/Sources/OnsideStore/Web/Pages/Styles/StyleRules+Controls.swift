extension StyleRules {
  /// Buttons, fields and choices. Every target is at least 44 pixels high.
  static let controls = """
    .button{
      display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:3rem;padding:.625rem 1.25rem;
      border:1px solid transparent;border-radius:.875rem;background:var(--accent);color:var(--on-accent);
      font:inherit;font-weight:650;text-align:center;text-decoration:none;cursor:pointer;
      transition:filter .12s ease,transform .12s ease;
    }
    .button:hover{filter:brightness(1.08)}
    .button:active{transform:translateY(1px)}
    .button.quiet{background:transparent;color:var(--accent);border-color:var(--line)}
    .button.quiet:hover{background:var(--accent-soft);filter:none}
    .button.plain{background:transparent;color:var(--muted);font-weight:600}
    .button.plain:hover{color:var(--ink);background:var(--raised);filter:none}
    .button.danger{background:transparent;color:var(--danger);border-color:var(--line)}
    .button.danger:hover{background:var(--danger-soft);filter:none}
    .button.small{min-height:2.75rem;padding:.375rem .875rem;font-size:.9375rem;border-radius:.75rem}
    .wide{width:100%}
    .field{display:flex;flex-direction:column;gap:.375rem}
    .field>label,.field>legend{font-weight:600}
    .field .hint{color:var(--muted);font-size:.875rem}
    .input,.select{
      width:100%;min-height:3.25rem;padding:.625rem 1rem;border:1.5px solid var(--field);border-radius:.875rem;
      background:var(--surface);color:var(--ink);font:inherit;font-size:1.125rem;
    }
    .input:focus,.select:focus{outline:3px solid var(--accent);outline-offset:1px;border-color:var(--accent)}
    .input[type=tel]{direction:ltr;font-variant-numeric:tabular-nums;letter-spacing:.01em}
    [dir=rtl] .input[type=tel]{text-align:right}
    .input.code{text-align:center;direction:ltr;font-size:1.75rem;font-weight:600;letter-spacing:.35em;padding-inline-start:calc(1rem + .35em);
      font-variant-numeric:tabular-nums}
    .input[aria-invalid=true]{border-color:var(--danger)}
    .select{
      appearance:none;padding-inline-end:3rem;
      background-image:linear-gradient(45deg,transparent 50%,var(--muted) 50%),linear-gradient(-45deg,transparent 50%,var(--muted) 50%);
      background-size:.4375rem .4375rem;background-repeat:no-repeat;
      background-position:right 1.5rem center,right 1.0625rem center;
    }
    [dir=rtl] .select{background-position:left 1.0625rem center,left 1.5rem center}
    .picker{display:flex;flex-wrap:wrap;gap:.625rem}
    .picker .select{flex:1 1 11rem;width:auto;min-width:0}
    .picker .button{flex:0 1 auto;min-height:3.25rem}
    form:has(option:checked:not(:default)) .picker .button{background:var(--accent);color:var(--on-accent);border-color:transparent}
    .error{display:flex;gap:.5rem;align-items:flex-start;color:var(--danger);font-size:.9375rem;font-weight:550}
    .error svg{margin-top:.2rem}
    .choices{display:flex;flex-direction:column;gap:.625rem}
    .choice{
      position:relative;display:flex;align-items:center;gap:.875rem;min-height:3.75rem;padding:.75rem 1rem;
      border:1.5px solid var(--field);border-radius:1rem;background:var(--surface);cursor:pointer;
      transition:border-color .12s ease,background-color .12s ease;
    }
    .choice:hover{background:var(--raised)}
    .choice:has(:checked){border-color:var(--accent);background:var(--accent-soft);box-shadow:inset 0 0 0 .5px var(--accent)}
    .choice:has(:focus-visible){outline:3px solid var(--accent);outline-offset:2px}
    .choice input{flex:none;width:1.375rem;height:1.375rem;margin:0;accent-color:var(--accent)}
    .choice input:focus-visible{outline:none}
    .check{flex:none;width:1.375rem;height:1.375rem;margin:0;accent-color:var(--accent)}
    label.row{flex-wrap:nowrap;min-height:2.75rem;cursor:pointer}
    textarea.input{font-size:.8125rem;line-height:1.5;resize:vertical;overflow-wrap:anywhere}
    .choice .badge.good{margin-inline-start:auto;background:var(--surface)}
    .field>legend{margin-bottom:.625rem}
    .choice .name{display:block;font-weight:600}
    .choice .note{display:block;color:var(--muted);font-size:.875rem;line-height:1.4}
    """
}
