import Foundation
import Testing

@testable import OnsideStore
@testable import StoreWeb

/// Writes every page to a file as a preview; checks nothing. `ONSIDE_PAGE_PREVIEW=<folder> swift test --filter preview`
@Suite("Preview of the pages", .timeLimit(.minutes(5)))
struct PagePreviewTests {
  static let folder = ProcessInfo.processInfo.environment["ONSIDE_PAGE_PREVIEW"]

  @Test("preview", .enabled(if: folder != nil), arguments: Language.allCases, [Theme.light, .dark])
  func preview(language: Language, theme: Theme) throws {
    let folder = try #require(Self.folder.map { URL(fileURLWithPath: $0) })
    let renderer = PageRenderer(storeName: "Onside", isSandbox: true, pages: PageCatalogue.all)
    for sample in PageSamples.all(language) {
      let html = renderer.html(
        sample.page,
        look: PageLook(
          language: language, theme: theme, csrf: "c", isLoggedIn: PageSamples.isLoggedIn(sample.name))
      )
      .replacing(StyleSheet.current.path, with: "style.css").replacing("/assets/mark.svg", with: "mark.svg")
      try html.write(
        to: folder.appending(path: "\(sample.name)-\(language.rawValue)-\(theme.rawValue).html"), atomically: true,
        encoding: .utf8)
    }
    try StyleSheet.current.text.write(to: folder.appending(path: "style.css"), atomically: true, encoding: .utf8)
    try PageParts.icon.write(to: folder.appending(path: "mark.svg"), atomically: true, encoding: .utf8)
  }
}
