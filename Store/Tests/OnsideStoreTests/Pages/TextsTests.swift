import Foundation
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreWeb

@Suite("Texts of the pages", .timeLimit(.minutes(5)))
struct TextsTests {
  @Test("Every text is there in every language", arguments: Language.allCases)
  func complete(language: Language) throws {
    // A name that is no key, or a form of a unit that is missing, throws here.
    let file = try LanguageFile.read(language)
    #expect(TextKey.allCases.filter { file.texts[$0]?.isEmpty ?? true } == [])
    #expect(Set(file.periods.keys) == Set(Period.Unit.allCases.map(\.rawValue)))
  }

  @Test("A file has every text once, in the order of the English one", arguments: Language.allCases)
  func order(language: Language) throws {
    let names = Self.names(language)
    #expect(names == Self.names(.english))
    #expect(names.count == TextKey.allCases.count)
  }

  @Test(
    "The words for lengths of time have forms that are used, and a number where they need one",
    arguments: Language.allCases)
  func forms(language: Language) throws {
    let periods = try JSONDecoder().decode(PeriodForms.self, from: LanguageFile.json(language)).periods
    for (unit, forms) in periods {
      let words = try #require(LanguageFile.all[language]?.periods[unit])
      let known = Set(Mirror(reflecting: words).children.compactMap(\.label))
      #expect(Set(forms.keys).subtracting(known) == [], "\(unit)")
      for (form, text) in forms {
        let isCounted = form.lowercased().hasSuffix("few") || form.lowercased().hasSuffix("many")
        #expect(!text.isEmpty && Self.words(text) == (isCounted ? ["n"] : []), "\(unit).\(form)")
      }
    }
  }

  @Test("A text has the same words in braces in every language", arguments: Language.allCases)
  func placeholders(language: Language) throws {
    for key in TextKey.allCases {
      #expect(Self.words(Texts(language)[key]) == Self.words(Texts(.english)[key]), "\(key)")
    }
  }

  @Test("Every text that a template names is there")
  func templates() {
    let templates = PageCatalogue.all.map { $0.template } + [Layout.template]
    let parts = Array(PageParts.all.values) + PageCatalogue.all.flatMap { $0.parts.values }
    for template in templates + parts {
      for match in template.matches(of: #/\{\{t\.([A-Za-z]+)/#) {
        #expect(TextKey(rawValue: String(match.1)) != nil, "\(match.1)")
      }
    }
  }

  @Test("Languages are chosen by the best of the lists")
  func choice() {
    #expect(Language.best(of: ["fr-CA"], ["de"]) == .french)
    #expect(Language.best(of: ["xx", "ar-EG"], ["de"]) == .arabic)
    #expect(Language.best(of: [], Language.accepted("pl, nl;q=0.5, es;q=0.7")) == .spanish)
    #expect(Language.best(of: [], Language.accepted("de;q=0, *;q=0.1")) == .english)
    #expect(Language.accepted("en-GB,en;q=0.9, de") == ["en-GB", "de", "en"])
    #expect(Language.accepted(nil) == [])
  }

  @Test("Lengths of time are said in the forms of the language")
  func periods() throws {
    let three = try #require(Period(unit: .month, count: 3))
    let two = try #require(Period(unit: .week, count: 2))
    #expect(Texts(.english).rhythm(.oneMonth) == "per month")
    #expect(Texts(.english).rhythm(three) == "every 3 months")
    #expect(Texts(.german).length(.oneWeek) == "1 Woche")
    #expect(Texts(.arabic).length(two) == "أسبوعان")
    #expect(Texts(.arabic).length(three) == "3 أشهر")
    #expect(Texts(.english).length(.oneMonth, times: 3) == "3 months")
  }

  @Test("A day is written as in the account's region, and stays on one line")
  func days() throws {
    let date = Date(timeIntervalSince1970: 1_795_132_800)
    func day(_ language: Language, in region: String) throws -> String {
      let day = Texts(language).day(date, in: try #require(CountryCode(alpha2: region)))
      #expect(!day.contains(" "))
      return day.replacing("\u{00A0}", with: " ")
    }
    for region in ["GB", "NL", "IE", "FR"] {
      let actualDay = try day(.english, in: region)
      #expect(actualDay == "20 Nov 2026")
    }
    let actualDay = try day(.english, in: "US")
    #expect(actualDay == "Nov 20, 2026")
    let secondDay = try day(.german, in: "AT")
    #expect(secondDay == "20. Nov. 2026")
    // The Gregorian year, also where another calendar is usual.
    let thirdDay = try day(.english, in: "TH")
    #expect(thirdDay.hasSuffix("2026"))
  }

  @Test("A free trial's button names it, in the forms of the language")
  func trials() {
    #expect(Texts(.english).startTrial(.oneWeek, times: 1) == "Start free week")
    #expect(Texts(.english).startTrial(.oneMonth, times: 3) == "Start 3 free months")
    #expect(Texts(.arabic).startTrial(.oneWeek, times: 2) == "ابدأ الأسبوعين المجانيين")
  }

  /// The names of the texts in the order of the file, in which each has a line.
  private static func names(_ language: Language) -> [Substring] {
    String(decoding: LanguageFile.json(language), as: UTF8.self).matches(of: #/\n    "([A-Za-z]+)": "/#).map(\.1)
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.matches(of: #/\{([a-z]+)\}/#).map { String($0.1) })
  }
}

/// The forms as the file has them, also those that nothing reads.
private struct PeriodForms: Decodable {
  var periods: [String: [String: String]]
}
