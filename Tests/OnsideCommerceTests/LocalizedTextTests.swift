import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct LocalizedTextTests {
  private func match(_ wanted: [String], among available: [String], default fallback: String = "en") -> String? {
    let texts = available.map { LocalizedText(language: $0, title: $0, description: "") }
    return LocalizedText.bestMatch(preferring: wanted, among: texts, default: fallback)?.title
  }

  @Test("PRD-8: the same tag wins, in any spelling")
  func exact() {
    #expect(match(["pt-BR"], among: ["pt-PT", "pt-BR"]) == "pt-BR")
    #expect(match(["en_us"], among: ["en-GB", "en-US"]) == "en-US")
    #expect(match(["ZH-hant-tw"], among: ["zh-Hant", "zh-Hant-TW"]) == "zh-Hant-TW")
  }

  @Test("PRD-8: then the same language and script")
  func script() {
    #expect(match(["zh-TW"], among: ["zh-Hans", "zh-Hant"]) == "zh-Hant")
    #expect(match(["zh-SG"], among: ["zh-Hant", "zh-Hans"]) == "zh-Hans")
    #expect(match(["sr-Latn-RS"], among: ["sr", "sr-Latn"]) == "sr-Latn")
  }

  @Test("PRD-8: then the same language")
  func language() {
    #expect(match(["de-AT"], among: ["en", "de"]) == "de")
    #expect(match(["de"], among: ["en", "de-CH"]) == "de-CH")
    #expect(match(["en-ZZ"], among: ["fr", "en-US", "en-GB"]) == "en-US")
  }

  @Test(
    "PRD-8: the parents of a region precede other regions of the language",
    arguments: [
      ("es-MX", ["es-ES", "es-419"], "es-419"), ("es-MX", ["es-AR", "es"], "es"),
      ("en-AU", ["en-US", "en-GB"], "en-GB"),
      ("pt-AO", ["pt-BR", "pt-PT"], "pt-PT"), ("fr-CA", ["fr-CH", "fr-FR"], "fr-FR"),
    ])
  func parents(wanted: String, available: [String], expected: String) {
    #expect(match([wanted], among: available) == expected)
  }

  @Test("PRD-8: another preferred language precedes another script; another script precedes the default language")
  func otherScript() {
    #expect(match(["zh-TW", "de"], among: ["en", "de", "zh-Hans"]) == "de")
    #expect(match(["zh-TW"], among: ["en", "zh-Hans"]) == "zh-Hans")
    #expect(match(["sr-Latn"], among: ["en", "sr-Cyrl"]) == "sr-Cyrl")
  }

  @Test("PRD-8: languages are tried in the reader's order")
  func order() {
    #expect(match(["ja", "fr-CA", "de"], among: ["en", "de", "fr"]) == "fr")
    #expect(match(["de-AT", "en"], among: ["en", "de"]) == "de")
  }

  @Test("PRD-8: else the default language, else the first")
  func fallback() {
    #expect(match(["ja"], among: ["fr", "en-US"], default: "en-US") == "en-US")
    #expect(match(["ja"], among: ["fr", "en-GB"], default: "en-US") == "en-GB")
    #expect(match([], among: ["fr", "de"], default: "en") == "fr")
    #expect(match(["ja"], among: []) == nil)
  }

  @Test("old language codes and extensions are understood")
  func oldCodes() {
    #expect(match(["iw-IL"], among: ["en", "he"]) == "he")
    #expect(match(["nb-NO"], among: ["en", "no"]) == "no")
    #expect(match(["nl-NL-u-nu-latn"], among: ["en", "nl"]) == "nl")
    #expect(match(["nl_NL.UTF-8"], among: ["en", "nl-NL"]) == "nl-NL")
    #expect(match(["", "-", "_"], among: ["fr", "en"]) == "en")
  }

  @Test("a product without texts shows its reference name, else its identifier")
  func withoutTexts() {
    let named = Product(id: "coins", kind: .consumable, referenceName: "100 coins")
    #expect(named.text(preferring: ["de"], default: "en").title == "100 coins")
    #expect(Product(id: "coins", kind: .consumable).text(preferring: ["de"], default: "en").title == "coins")
  }
}

@Suite(.timeLimit(.minutes(5))) struct LanguageTagTests {
  @Test(
    "tags are read in any spelling and written in the usual one",
    arguments: [
      ("en_US", "en-US"), ("ZH-HANT-hk", "zh-Hant-HK"), ("es-419", "es-419"), ("de", "de"),
      ("nl_NL@calendar=x", "nl-NL"),
      ("sl-rozaj", "sl"), ("", "und"), ("iw", "he"), ("in_ID", "id-ID"),
    ])
  func spelling(tag: String, expected: String) {
    #expect(LanguageTag(tag).description == expected)
  }
}
