import Foundation
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreWeb

/// The files that the build compiles into the store.
@Suite("Resources", .timeLimit(.minutes(5)))
struct ResourceTests {
  private static let salesFolder = "Store/Sources/StoreSales/Resources"
  private static let webFolder = "Store/Sources/StoreWeb/Resources"
  private static let accountsFolder = "Store/Sources/StoreAccounts/Resources"
  private static let analyticsFolder = "Store/Sources/StoreAnalytics/Resources"
  private static let paymentsFolder = "Store/Sources/StorePayments/Resources"
  private static let stripeFolder = "Store/Sources/StoreStripe/Resources"

  @Test("Every page has the template of its name, and every template file a page")
  func templates() throws {
    let pages = PageCatalogue.all.map { (name: String(describing: $0), template: $0.template) }
    let templates = pages + [(name: "Layout", template: Layout.template)]
    let modules = [
      Self.salesFolder, Self.webFolder, Self.accountsFolder, Self.analyticsFolder, Self.paymentsFolder,
      Self.stripeFolder,
    ]
    let folders = modules.map { "\($0)/Templates" }
    let files = try folders.flatMap { folder in try Self.names(in: folder).map { (name: $0, folder: folder) } }
    #expect(files.map(\.name).sorted() == templates.map { "\($0.name).mustache" }.sorted())
    for (name, folder) in files {
      let text = try Repository.text("\(folder)/\(name)")
      let template = templates.first { "\($0.name).mustache" == name }?.template
      #expect(template.map { $0 + "\n" } == text, "\(name)")
    }
  }

  @Test("Every piece of templates has the name of its file")
  func parts() throws {
    let parts = PageCatalogue.all.reduce(into: PageParts.all) { parts, page in parts.merge(page.parts) { $1 } }
    let folders = [Self.salesFolder, Self.webFolder, Self.accountsFolder].map { "\($0)/Parts" }
    let files = try folders.flatMap { folder in try Self.names(in: folder).map { (name: $0, folder: folder) } }
    #expect(files.map(\.name).sorted() == parts.keys.map { "\($0).mustache" }.sorted())
    for (name, folder) in files {
      let text = try Repository.text("\(folder)/\(name)")
      let template = parts[String(name.dropLast(".mustache".count))]
      #expect(template.map { $0 + "\n" } == text, "\(name)")
    }
  }

  @Test("Every stylesheet closes the braces that it opens, and is part of what the pages get")
  func styles() throws {
    for name in try Self.names(in: "\(Self.webFolder)/Styles") {
      let text = try Repository.text("\(Self.webFolder)/Styles/\(name)")
      var depth = 0
      for character in text {
        if character == "{" { depth += 1 }
        if character == "}" { depth -= 1 }
        try #require(depth >= 0, "\(name)")
      }
      #expect(depth == 0, "\(name)")
      #expect(StyleSheet.current.text.contains(text.dropLast()), "\(name)")
    }
  }

  @Test("Every language has the file of its code, and every file a language")
  func texts() throws {
    let folder = "Store/Sources/CEmbeddedTexts/Texts"
    for language in Language.allCases {
      let text = try Repository.text("\(folder)/\(language.rawValue).json")
      #expect(LanguageFile.json(language) == Data(text.utf8), "\(language)")
    }
    let names = try Self.names(in: folder)
    #expect(names == Language.allCases.map { "\($0.rawValue).json" }.sorted())
  }

  @Test("Every line of the shared dialling codes is a country and its prefixes")
  func diallingCodes() throws {
    for line in try Repository.text("\(Self.accountsFolder)/shared-dialling-codes.txt").split(separator: "\n") {
      #expect(line.wholeMatch(of: #/[A-Z]{2}( [1-9][0-9]{0,6})+/#) != nil, "\(line)")
      #expect(CountryCode(alpha2: String(line.prefix(2))) != nil, "\(line)")
    }
  }

  @Test("Every row of the embedded numbering plans is a plan with an example of its own")
  func numberingPlans() throws {
    let text = try Repository.text("Store/Sources/CEmbeddedTexts/NumberingPlans/plans.txt")
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(NumberingPlans.rows == rows)
    #expect(NumberingPlans.all.map(\.region) == rows.map { String($0.prefix(2)) })
    for plan in NumberingPlans.all { #expect(plan.contains(plan.example), "\(plan.region)") }
  }

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: folder).path).sorted()
  }
}
