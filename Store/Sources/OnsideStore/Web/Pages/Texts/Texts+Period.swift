import OnsideCommerce

/// The words for a length of time: as a length ("3 months"), as a rhythm ("every 3 months"), and on the button that
/// starts it as a free trial ("Start 3 free months").
struct PeriodWords: Sendable {
  /// The lengths by number: one, two (where the language has a form of its own), few (3 to 10 in Arabic), many.
  var one: String
  var two: String?
  var few: String?
  var many: String
  var everyOne: String
  var everyTwo: String?
  var everyFew: String?
  var everyMany: String
  var trialOne: String
  var trialTwo: String?
  var trialFew: String?
  var trialMany: String

  func length(_ count: Int) -> String { pick(count, one, two, few, many) }
  func rhythm(_ count: Int) -> String { pick(count, everyOne, everyTwo, everyFew, everyMany) }
  func trial(_ count: Int) -> String { pick(count, trialOne, trialTwo, trialFew, trialMany) }

  private func pick(_ count: Int, _ one: String, _ two: String?, _ few: String?, _ many: String) -> String {
    let form =
      switch count % 100 {
      case _ where count == 1: one
      case _ where count == 2: two ?? many
      case 3...10: few ?? many
      default: many
      }
    return form.replacing("{n}", with: String(count))
  }
}

extension Texts {
  /// `3 months`.
  func length(_ period: Period, times: Int = 1) -> String {
    words(period.unit)?.length(period.count * times) ?? period.iso8601
  }

  /// `per month`, `every 3 months`.
  func rhythm(_ period: Period) -> String {
    words(period.unit)?.rhythm(period.count) ?? period.iso8601
  }

  /// `Start free week`, `Start 3 free months`; nil for a unit without words.
  func startTrial(_ period: Period, times: Int) -> String? {
    words(period.unit)?.trial(period.count * times)
  }

  private func words(_ unit: Period.Unit) -> PeriodWords? { Self.periods[language]?[unit] }

  static let periods: [Language: [Period.Unit: PeriodWords]] = [
    .english: [
      .day: PeriodWords(
        one: "1 day", many: "{n} days", everyOne: "per day", everyMany: "every {n} days",
        trialOne: "Start free day", trialMany: "Start {n} free days"),
      .week: PeriodWords(
        one: "1 week", many: "{n} weeks", everyOne: "per week", everyMany: "every {n} weeks",
        trialOne: "Start free week", trialMany: "Start {n} free weeks"),
      .month: PeriodWords(
        one: "1 month", many: "{n} months", everyOne: "per month", everyMany: "every {n} months",
        trialOne: "Start free month", trialMany: "Start {n} free months"),
      .year: PeriodWords(
        one: "1 year", many: "{n} years", everyOne: "per year", everyMany: "every {n} years",
        trialOne: "Start free year", trialMany: "Start {n} free years"),
    ],
    .german: [
      .day: PeriodWords(
        one: "1 Tag", many: "{n} Tage", everyOne: "pro Tag", everyMany: "alle {n} Tage",
        trialOne: "Gratistag starten", trialMany: "{n} Gratistage starten"),
      .week: PeriodWords(
        one: "1 Woche", many: "{n} Wochen", everyOne: "pro Woche", everyMany: "alle {n} Wochen",
        trialOne: "Gratiswoche starten", trialMany: "{n} Gratiswochen starten"),
      .month: PeriodWords(
        one: "1 Monat", many: "{n} Monate", everyOne: "pro Monat", everyMany: "alle {n} Monate",
        trialOne: "Gratismonat starten", trialMany: "{n} Gratismonate starten"),
      .year: PeriodWords(
        one: "1 Jahr", many: "{n} Jahre", everyOne: "pro Jahr", everyMany: "alle {n} Jahre",
        trialOne: "Gratisjahr starten", trialMany: "{n} Gratisjahre starten"),
    ],
    .french: [
      .day: PeriodWords(
        one: "1 jour", many: "{n} jours", everyOne: "par jour", everyMany: "tous les {n} jours",
        trialOne: "Commencer le jour gratuit", trialMany: "Commencer les {n} jours gratuits"),
      .week: PeriodWords(
        one: "1 semaine", many: "{n} semaines", everyOne: "par semaine", everyMany: "toutes les {n} semaines",
        trialOne: "Commencer la semaine gratuite", trialMany: "Commencer les {n} semaines gratuites"),
      .month: PeriodWords(
        one: "1 mois", many: "{n} mois", everyOne: "par mois", everyMany: "tous les {n} mois",
        trialOne: "Commencer le mois gratuit", trialMany: "Commencer les {n} mois gratuits"),
      .year: PeriodWords(
        one: "1 an", many: "{n} ans", everyOne: "par an", everyMany: "tous les {n} ans",
        trialOne: "Commencer l’année gratuite", trialMany: "Commencer les {n} années gratuites"),
    ],
    .spanish: [
      .day: PeriodWords(
        one: "1 día", many: "{n} días", everyOne: "al día", everyMany: "cada {n} días",
        trialOne: "Empezar el día gratis", trialMany: "Empezar los {n} días gratis"),
      .week: PeriodWords(
        one: "1 semana", many: "{n} semanas", everyOne: "a la semana", everyMany: "cada {n} semanas",
        trialOne: "Empezar la semana gratis", trialMany: "Empezar las {n} semanas gratis"),
      .month: PeriodWords(
        one: "1 mes", many: "{n} meses", everyOne: "al mes", everyMany: "cada {n} meses",
        trialOne: "Empezar el mes gratis", trialMany: "Empezar los {n} meses gratis"),
      .year: PeriodWords(
        one: "1 año", many: "{n} años", everyOne: "al año", everyMany: "cada {n} años",
        trialOne: "Empezar el año gratis", trialMany: "Empezar los {n} años gratis"),
    ],
    .dutch: [
      .day: PeriodWords(
        one: "1 dag", many: "{n} dagen", everyOne: "per dag", everyMany: "per {n} dagen",
        trialOne: "Gratis dag starten", trialMany: "{n} gratis dagen starten"),
      .week: PeriodWords(
        one: "1 week", many: "{n} weken", everyOne: "per week", everyMany: "per {n} weken",
        trialOne: "Gratis week starten", trialMany: "{n} gratis weken starten"),
      .month: PeriodWords(
        one: "1 maand", many: "{n} maanden", everyOne: "per maand", everyMany: "per {n} maanden",
        trialOne: "Gratis maand starten", trialMany: "{n} gratis maanden starten"),
      .year: PeriodWords(
        one: "1 jaar", many: "{n} jaar", everyOne: "per jaar", everyMany: "per {n} jaar",
        trialOne: "Gratis jaar starten", trialMany: "{n} gratis jaren starten"),
    ],
    .arabic: [
      .day: PeriodWords(
        one: "يوم واحد", two: "يومان", few: "{n} أيام", many: "{n} يومًا",
        everyOne: "يوميًا", everyTwo: "كل يومين", everyFew: "كل {n} أيام", everyMany: "كل {n} يومًا",
        trialOne: "ابدأ اليوم المجاني", trialTwo: "ابدأ اليومين المجانيين", trialFew: "ابدأ {n} أيام مجانية",
        trialMany: "ابدأ {n} يومًا مجانيًا"),
      .week: PeriodWords(
        one: "أسبوع واحد", two: "أسبوعان", few: "{n} أسابيع", many: "{n} أسبوعًا",
        everyOne: "أسبوعيًا", everyTwo: "كل أسبوعين", everyFew: "كل {n} أسابيع", everyMany: "كل {n} أسبوعًا",
        trialOne: "ابدأ الأسبوع المجاني", trialTwo: "ابدأ الأسبوعين المجانيين", trialFew: "ابدأ {n} أسابيع مجانية",
        trialMany: "ابدأ {n} أسبوعًا مجانيًا"),
      .month: PeriodWords(
        one: "شهر واحد", two: "شهران", few: "{n} أشهر", many: "{n} شهرًا",
        everyOne: "شهريًا", everyTwo: "كل شهرين", everyFew: "كل {n} أشهر", everyMany: "كل {n} شهرًا",
        trialOne: "ابدأ الشهر المجاني", trialTwo: "ابدأ الشهرين المجانيين", trialFew: "ابدأ {n} أشهر مجانية",
        trialMany: "ابدأ {n} شهرًا مجانيًا"),
      .year: PeriodWords(
        one: "سنة واحدة", two: "سنتان", few: "{n} سنوات", many: "{n} سنة",
        everyOne: "سنويًا", everyTwo: "كل سنتين", everyFew: "كل {n} سنوات", everyMany: "كل {n} سنة",
        trialOne: "ابدأ السنة المجانية", trialTwo: "ابدأ السنتين المجانيتين", trialFew: "ابدأ {n} سنوات مجانية",
        trialMany: "ابدأ {n} سنة مجانية"),
    ],
  ]
}
