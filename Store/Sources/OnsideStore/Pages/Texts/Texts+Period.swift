import OnsideCommerce

/// How a length of time is said: once as a length ("3 months"), once as a rhythm ("every 3 months").
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

  func length(_ count: Int) -> String { pick(count, one, two, few, many) }
  func rhythm(_ count: Int) -> String { pick(count, everyOne, everyTwo, everyFew, everyMany) }

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

  private func words(_ unit: Period.Unit) -> PeriodWords? { Self.periods[language]?[unit] }

  static let periods: [Language: [Period.Unit: PeriodWords]] = [
    .english: [
      .day: PeriodWords(one: "1 day", many: "{n} days", everyOne: "per day", everyMany: "every {n} days"),
      .week: PeriodWords(one: "1 week", many: "{n} weeks", everyOne: "per week", everyMany: "every {n} weeks"),
      .month: PeriodWords(one: "1 month", many: "{n} months", everyOne: "per month", everyMany: "every {n} months"),
      .year: PeriodWords(one: "1 year", many: "{n} years", everyOne: "per year", everyMany: "every {n} years"),
    ],
    .german: [
      .day: PeriodWords(one: "1 Tag", many: "{n} Tage", everyOne: "pro Tag", everyMany: "alle {n} Tage"),
      .week: PeriodWords(one: "1 Woche", many: "{n} Wochen", everyOne: "pro Woche", everyMany: "alle {n} Wochen"),
      .month: PeriodWords(one: "1 Monat", many: "{n} Monate", everyOne: "pro Monat", everyMany: "alle {n} Monate"),
      .year: PeriodWords(one: "1 Jahr", many: "{n} Jahre", everyOne: "pro Jahr", everyMany: "alle {n} Jahre"),
    ],
    .french: [
      .day: PeriodWords(one: "1 jour", many: "{n} jours", everyOne: "par jour", everyMany: "tous les {n} jours"),
      .week: PeriodWords(
        one: "1 semaine", many: "{n} semaines", everyOne: "par semaine", everyMany: "toutes les {n} semaines"),
      .month: PeriodWords(one: "1 mois", many: "{n} mois", everyOne: "par mois", everyMany: "tous les {n} mois"),
      .year: PeriodWords(one: "1 an", many: "{n} ans", everyOne: "par an", everyMany: "tous les {n} ans"),
    ],
    .spanish: [
      .day: PeriodWords(one: "1 día", many: "{n} días", everyOne: "al día", everyMany: "cada {n} días"),
      .week: PeriodWords(one: "1 semana", many: "{n} semanas", everyOne: "a la semana", everyMany: "cada {n} semanas"),
      .month: PeriodWords(one: "1 mes", many: "{n} meses", everyOne: "al mes", everyMany: "cada {n} meses"),
      .year: PeriodWords(one: "1 año", many: "{n} años", everyOne: "al año", everyMany: "cada {n} años"),
    ],
    .dutch: [
      .day: PeriodWords(one: "1 dag", many: "{n} dagen", everyOne: "per dag", everyMany: "per {n} dagen"),
      .week: PeriodWords(one: "1 week", many: "{n} weken", everyOne: "per week", everyMany: "per {n} weken"),
      .month: PeriodWords(one: "1 maand", many: "{n} maanden", everyOne: "per maand", everyMany: "per {n} maanden"),
      .year: PeriodWords(one: "1 jaar", many: "{n} jaar", everyOne: "per jaar", everyMany: "per {n} jaar"),
    ],
    .arabic: [
      .day: PeriodWords(
        one: "يوم واحد", two: "يومان", few: "{n} أيام", many: "{n} يومًا",
        everyOne: "يوميًا", everyTwo: "كل يومين", everyFew: "كل {n} أيام", everyMany: "كل {n} يومًا"),
      .week: PeriodWords(
        one: "أسبوع واحد", two: "أسبوعان", few: "{n} أسابيع", many: "{n} أسبوعًا",
        everyOne: "أسبوعيًا", everyTwo: "كل أسبوعين", everyFew: "كل {n} أسابيع", everyMany: "كل {n} أسبوعًا"),
      .month: PeriodWords(
        one: "شهر واحد", two: "شهران", few: "{n} أشهر", many: "{n} شهرًا",
        everyOne: "شهريًا", everyTwo: "كل شهرين", everyFew: "كل {n} أشهر", everyMany: "كل {n} شهرًا"),
      .year: PeriodWords(
        one: "سنة واحدة", two: "سنتان", few: "{n} سنوات", many: "{n} سنة",
        everyOne: "سنويًا", everyTwo: "كل سنتين", everyFew: "كل {n} سنوات", everyMany: "كل {n} سنة"),
    ],
  ]
}
