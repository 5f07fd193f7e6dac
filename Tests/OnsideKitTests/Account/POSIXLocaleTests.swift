import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct POSIXLocaleTests {
  @Test("PRD-8: the user's languages are those of the environment, best first")
  func languages() {
    #expect(POSIXLocale(environment: ["LANG": "nl_NL.UTF-8"]).languages == ["nl-NL"])
    #expect(POSIXLocale(environment: ["LANG": "nl_NL", "LC_ALL": "de_AT@euro"]).languages == ["de-AT"])
    #expect(
      POSIXLocale(environment: ["LANGUAGE": "pt_BR:pt:en", "LANG": "en"]).languages == ["pt-BR", "pt", "en"])
    for none in ["C", "POSIX", "C.UTF-8", ""] { #expect(POSIXLocale(environment: ["LANG": none]).languages == []) }
  }

  @Test("STF-2: the system's region is that of the environment")
  func region() {
    #expect(POSIXLocale(environment: ["LANG": "nl_BE.UTF-8"]).region == "BE")
    #expect(POSIXLocale(environment: ["LANG": "en_US", "LC_MONETARY": "nl_NL"]).region == "NL")
    #expect(POSIXLocale(environment: ["LANG": "en_US", "LC_ALL": "C"]).region == nil)
    #expect(POSIXLocale(environment: [:]).region == nil)
  }
}
