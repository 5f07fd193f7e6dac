package import OnsideCommerce

/// The words for a length of time: as a length ("3 months"), as a rhythm ("every 3 months"), and on the button that
/// starts it as a free trial ("Start 3 free months").
struct PeriodWords: Decodable, Sendable {
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
  package func length(_ period: Period, times: Int = 1) -> String {
    words(period.unit)?.length(period.count * times) ?? period.iso8601
  }

  /// `per month`, `every 3 months`.
  package func rhythm(_ period: Period) -> String {
    words(period.unit)?.rhythm(period.count) ?? period.iso8601
  }

  /// `Start free week`, `Start 3 free months`; nil for a unit without words.
  func startTrial(_ period: Period, times: Int) -> String? {
    words(period.unit)?.trial(period.count * times)
  }
}
