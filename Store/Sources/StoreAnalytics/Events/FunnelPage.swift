import StoreBase
import StoreWeb

/// A funnel report as one self-contained HTML file: a plot without a script, and every number as text.
public struct FunnelPage: Sendable {
  private let report: FunnelReport
  private let madeAt: String

  /// A page.
  /// - Parameter madeAt: when, for people.
  public init(_ report: FunnelReport, madeAt: String) {
    self.report = report
    self.madeAt = madeAt
  }

  /// The document.
  public var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Funnel of \(report.app.escaped)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>
    <h1>Funnel of \(report.app.escaped)</h1>
    <p>Installations that reached each step within \(Self.span(report.window)) of the first. \(madeAt.escaped)</p>
    \(plot)
    <h2>All</h2>
    \(table(head: "Step", rows: report.steps.enumerated().map { index, step in
      (step, [report.counts[index]], report.counts)
    }, columns: ["Installations"]))
    \(section("By country", head: "Country", groups: report.countries))
    \(section("By week", head: "Week", groups: report.weeks))
    </main>
    </body>
    </html>

    """
  }

  /// The bar chart: one bar for each step, its length the share of the installations that started. The table below has
  /// the same numbers as text.
  private var plot: String {
    let (width, row) = (360, 72)
    let bars = report.steps.enumerated().map { index, step in
      let permille = report.permille(report.counts[index], of: report.counts)
      let top = index * row
      return """
        <text x="0" y="\(top + 14)">\(step.escaped)</text>
        <rect class="track" x="0" y="\(top + 22)" width="\(width)" height="16" rx="5"/>
        <rect class="bar" x="0" y="\(top + 22)" width="\(permille * width / 1000)" height="16" rx="5"/>
        <text class="count" x="0" y="\(top + 54)">\(report.counts[index]) · \(Self.percent(permille))</text>
        """
    }
    return """
      <svg viewBox="0 0 \(width) \(report.steps.count * row - 12)" role="img" \
      aria-label="The counts of the table below as bars">
      \(bars.joined(separator: "\n"))
      </svg>
      """
  }

  private func section(_ title: String, head: String, groups: [FunnelReport.Group]) -> String {
    guard !groups.isEmpty else { return "" }
    return """
      <h2>\(title)</h2>
      \(table(head: head, rows: groups.map { ($0.name, $0.counts, $0.counts) }, columns: report.steps))
      """
  }

  private func table(head: String, rows: [(name: String, cells: [Int], of: [Int])], columns: [String]) -> String {
    let header = ([head] + columns).map { "<th scope=\"col\">\($0.escaped)</th>" }.joined()
    let body = rows.map { row in
      let cells = row.cells.map { count in
        "<td>\(count) <span>\(Self.percent(report.permille(count, of: row.of)))</span></td>"
      }
      return "<tr><th scope=\"row\">\(row.name.escaped)</th>\(cells.joined())</tr>"
    }
    return """
      <div class="scroll" tabindex="0"><table>
      <thead><tr>\(header)</tr></thead>
      <tbody>
      \(body.joined(separator: "\n"))
      </tbody>
      </table></div>
      """
  }

  private static func percent(_ permille: Int) -> String { "\(permille / 10).\(permille % 10) %" }

  private static func span(_ seconds: Int) -> String {
    let units = [(604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    let (length, name) = units.first { seconds >= $0.0 && seconds % $0.0 == 0 } ?? (1, "second")
    let count = seconds / length
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }

  private static let style = """
    :root{color-scheme:light dark;--back:\(Palette.light.background);--card:\(Palette.light.surface);\
    --ink:\(Palette.light.ink);--muted:\(Palette.light.muted);--line:\(Palette.light.line);\
    --bar:\(Palette.light.accent)}
    @media (prefers-color-scheme:dark){:root{--back:\(Palette.dark.background);--card:\(Palette.dark.surface);\
    --ink:\(Palette.dark.ink);--muted:\(Palette.dark.muted);--line:\(Palette.dark.line);--bar:\(Palette.dark.accent)}}
    body{margin:0;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    main{max-width:48rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
    h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
    h2{font-size:1.125rem;margin:2rem 0 .5rem}
    p{margin:0 0 1.5rem;color:var(--muted)}
    svg{display:block;width:100%;max-width:34rem;height:auto;padding:1.25rem;box-sizing:border-box;\
    background:var(--card);
      border:1px solid var(--line);border-radius:1rem}
    text{fill:var(--ink);font:600 13px system-ui,sans-serif}
    .count{font-weight:400;fill:var(--muted)}
    .track{fill:var(--line)}
    .bar{fill:var(--bar)}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
    th,td{padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);text-align:start;white-space:nowrap}
    th:not(:first-child),td{text-align:end}
    td span{color:var(--muted);font-size:.875rem;margin-inline-start:.375rem}
    tbody th{font-weight:500}
    """
}
