import Foundation

/// The samples of docs/web-apps.md.
@MainActor
enum Guide {
  static let file = Stage.repository.appending(path: "docs/web-apps.md")

  /// The code blocks in a language, in their order.
  static func samples(_ language: String) throws -> [String] {
    try samples(language, in: file)
  }

  /// The README's sample for web pages.
  static func readme() throws -> String {
    try samples("js", in: Stage.repository.appending(path: "README.md")).joined(separator: "\n")
  }

  private static func samples(_ language: String, in file: URL) throws -> [String] {
    let text = try String(contentsOf: file, encoding: .utf8)
    let blocks = text.matches(of: /(?s)```([a-z]+)\n(.*?)\n```/)
    return blocks.filter { $0.output.1 == language }.map { String($0.output.2) }
  }

  /// The functions that the guide leaves to its reader.
  private static let prelude = """
    const shown = [];
    const show = (text) => { shown.push(text); };
    const confirmed = async (question) => { show(question); return true; };
    """

  /// The sample that stores purchases: `deliver`, `takeBack` and `coins`.
  static func records() throws -> String {
    try samples("js").filter { $0.contains("const deliver = ") }.joined(separator: "\n")
  }

  /// The same with the sample that takes transactions, which ends with a purchase of 100 coins.
  static func shop() throws -> String {
    try records() + "\n" + samples("js").filter { $0.contains("const take = ") }.joined(separator: "\n")
  }

  /// One script of all samples: what one names is known to those that follow it.
  static func script() throws -> String { ([prelude] + (try samples("js"))).joined(separator: "\n\n") }

  /// The same samples for TypeScript, beside those of the first page, whose elements are there.
  static func typedSources() throws -> [String: String] {
    let declarations = """
      declare const show: (text: string) => void;
      declare const confirmed: (question: string, signal?: AbortSignal) => Promise<boolean>;
      """
    let page = try samples("html").map { html in
      String(html.firstMatch(of: /(?s)<script type="module">(.*)<\/script>/)?.output.1 ?? "")
        .replacing(/document.querySelector\([^)]*\)/, with: "(null as any)")
    }
    let forReadme = """
      import type { JSPaymentTransaction } from './onside';
      declare const deliver: (id: string, product: string, quantity: number) => Promise<unknown>;
      declare const takeBack: (id: string) => Promise<unknown>;
      """
    return [
      "readme.ts": forReadme + "\n" + (try readme()), "page.ts": page.joined(),
      "guide.ts": ([declarations] + (try samples("js"))).joined(separator: "\n\n"),
    ]
  }
}
