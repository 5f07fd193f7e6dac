import Foundation
import OnsideCommerce
import StoreBase

/// A statement as one self-contained HTML file, also to be printed.
public struct StatementPage: Sendable {
  private let statement: Statement
  private let seller: String
  private let appName: String

  /// A page.
  ///
  /// - Parameters:
  ///   - seller: the legal entity that owes the balance.
  ///   - appName: the app's name.
  public init(_ statement: Statement, seller: String, appName: String) {
    self.statement = statement
    self.seller = seller
    self.appName = appName
  }

  /// The document.
  public func html() throws -> String {
    let sections = try statement.currencies.map(section).joined(separator: "\n")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>Statement \(statement.month) of \(appName.escaped)</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      <h1>Statement \(statement.month)</h1>
      <p>\(appName.escaped) (\(statement.app.escaped)), from \(seller.escaped). Days are UTC.</p>
      \(sections.isEmpty ? "<p>Nothing was booked in this month or before.</p>" : sections)
      </main>
      </body>
      </html>

      """
  }

  private func section(_ currency: Currency) throws -> String {
    let totals = try statement.totals(currency).map { total in
      "<tr><th scope=\"row\">\(Self.name(total.kind))</th><td>\(total.count)</td><td>\(total.amount.amount)</td></tr>"
    }
    let lines = statement.lines.filter { $0.amount.currency == currency }.map { line in
      """
      <tr><td>\(line.date.ISO8601Format(.iso8601.year().month().day()))</td><td>\(Self.name(line.kind))</td>\
      <td>\((line.product ?? "").escaped)</td><td>\((line.country ?? "").escaped)</td>\
      <td class="cause">\(line.cause.escaped)</td><td>\(line.amount.amount)</td></tr>
      """
    }
    return """
      <h2>\(currency.code)</h2>
      <table class="totals">
      <thead><tr><th scope="col">Kind</th><th scope="col">Lines</th><th scope="col">\(currency.code)</th></tr></thead>
      <tbody>
      <tr><th scope="row">Balance before</th><td></td><td>\(statement.opening(currency).amount)</td></tr>
      \(totals.joined(separator: "\n"))
      </tbody>
      <tfoot><tr><th scope="row">Balance</th><td></td><td>\(try statement.closing(currency).amount)</td></tr></tfoot>
      </table>
      <table class="lines">
      <thead><tr><th scope="col">Day</th><th scope="col">Kind</th><th scope="col">Product</th><th scope="col">Region</th>\
      <th scope="col">Cause</th><th scope="col">\(currency.code)</th></tr></thead>
      <tbody>
      \(lines.joined(separator: "\n"))
      </tbody>
      </table>
      """
  }

  /// `commission_refund` as people read it.
  private static func name(_ kind: String) -> String {
    let words = kind.replacing("_", with: " ")
    return (words.prefix(1).uppercased() + words.dropFirst()).escaped
  }

  private static let style = """
    :root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
    body{margin:0;padding:1.5rem}
    main{max-width:60rem;margin:0 auto}
    h1{font-size:1.5rem;margin:0}
    h2{font-size:1.125rem;margin:2rem 0 .5rem}
    table{border-collapse:collapse;width:100%;margin-bottom:1.5rem;font-variant-numeric:tabular-nums}
    .totals{max-width:28rem}
    th,td{padding:.375rem .5rem;border-bottom:1px solid #8884;text-align:start;vertical-align:top}
    th{font-weight:600}
    .totals tbody th{font-weight:400}
    td:last-child,th:last-child,.totals td,.totals thead th:nth-child(2){text-align:end;white-space:nowrap}
    tfoot{font-weight:700}
    .lines{font-size:.875rem}
    .cause{overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:.75rem}
    @media print{@page{margin:15mm}:root{color-scheme:light;font-size:10pt}body{padding:0}tr{break-inside:avoid}}
    """
}
