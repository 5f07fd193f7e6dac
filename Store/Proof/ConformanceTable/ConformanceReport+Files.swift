public import Foundation
import Mustache

extension ConformanceReport {
  /// The report for machines.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// The report as one page, without scripts or other files.
  public func html() throws -> String {
    let template = try MustacheTemplate(string: String(decoding: PackageResources.report_html_mustache, as: UTF8.self))
    return template.render(Page(summary: summary, columns: columns, rows: rows))
  }

  private struct Page {
    let summary: String
    let columns: [Column]
    let rows: [Row]
  }
}
