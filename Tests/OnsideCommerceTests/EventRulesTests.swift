import Foundation
import OnsideCommerce
import Testing

@Suite(.timeLimit(.minutes(5))) struct EventRulesTests {
  @Test("EVT-1: a name is a letter, then letters, digits and _; anything else rejects the event")
  func names() {
    for name in ["a", "Level_2", "purchase_completed", "onside", "onsideevent", String(repeating: "x", count: 40)] {
      #expect(EventRules.apply(name: name).name == name && EventRules.apply(name: name).notes == [])
    }
    let bad = [
      "", "_a", "1a", "a b", "a-b", "é", "aé", "a\u{0}", "a\n", "a\u{301}", "🎉", "onside_", "onside_login", "$$", "$$a",
      "a$$", " a", "a\u{200B}",
    ]
    for name in bad {
      let verdict = EventRules.apply(name: name, parameters: ["a": .single(.integer(1))])
      #expect(verdict.name == nil && verdict.parameters.isEmpty && verdict.notes.count == 1, "\(name.debugDescription)")
      #expect(verdict.notes.allSatisfy { $0.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 } })
    }
  }

  @Test("EVT-1: a name or key over 40 characters is cut; the predefined JavaScript names count as those on the wire")
  func long() {
    let verdict = EventRules.apply(
      name: String(repeating: "n", count: 41),
      parameters: [String(repeating: "k", count: 4000): .single(.flag(true))])
    #expect(verdict.name == String(repeating: "n", count: 40))
    #expect(verdict.parameters == [String(repeating: "k", count: 40): .single(.flag(true))])
    #expect(verdict.notes.count == 2)
    #expect(EventRules.apply(name: String(repeating: "n", count: 41) + "!").name == nil)
    #expect(EventRules.apply(name: "purchaseCompleted").name == "purchase_completed")
    #expect(EventRules.apply(name: "subscriptionStarted").name == "subscription_started")
  }

  @Test("EVT-1: a key that breaks the rules drops its parameter, and keys that become the same count once")
  func keys() {
    let long = String(repeating: "k", count: 40)
    let verdict = EventRules.apply(
      name: "e",
      parameters: [
        "ok": .single(.integer(1)), "onside_x": .single(.integer(2)), "$$x": .single(.integer(3)),
        "no good": .single(.integer(4)), long + "a": .single(.integer(5)), long + "b": .single(.integer(6)),
      ])
    #expect(verdict.parameters == ["ok": .single(.integer(1)), long: .single(.integer(5))])
  }

  @Test("EVT-1: of more than 25 parameters the first by key order are kept; dropped ones do not count")
  func many() {
    var parameters: [String: EventValue] = ["A": .single(.number(.nan)), "bad key": .single(.integer(0))]
    for number in 10..<50 { parameters["k\(number)"] = .single(.integer(Int64(number))) }
    let verdict = EventRules.apply(name: "e", parameters: parameters)
    #expect(verdict.parameters.keys.sorted() == (10..<35).map { "k\($0)" })
  }

  @Test("EVT-1: texts over 100 characters are cut, in lists too, whatever a character is made of")
  func texts() {
    let family = "👨‍👩‍👧‍👦"
    let stack = "e" + String(repeating: "\u{301}", count: 5000)
    let verdict = EventRules.apply(
      name: "e",
      parameters: [
        "a": .single(.text(String(repeating: "é", count: 101))),
        "b": .list([.text(String(repeating: "x", count: 200))]),
        "c": .single(.text(String(repeating: family, count: 57))), "d": .single(.text(stack)),
        "e": .single(.text(String(repeating: "x", count: 100))), "f": .single(.text("\u{0}\n\u{2028}")),
      ])
    #expect(verdict.parameters["a"] == .single(.text(String(repeating: "é", count: 100))))
    #expect(verdict.parameters["b"] == .list([.text(String(repeating: "x", count: 100))]))
    #expect(verdict.parameters["c"] == .single(.text(String(repeating: family, count: 57))))
    #expect(verdict.parameters["e"] == .single(.text(String(repeating: "x", count: 100))))
    #expect(verdict.parameters["f"] == .single(.text("\u{0}\n\u{2028}")))
    guard case .single(.text(let cut)) = verdict.parameters["d"] else {
      Issue.record("expected a text, got \(String(describing: verdict.parameters["d"]))")
      return
    }
    #expect(cut.unicodeScalars.count == 400)
    #expect(verdict.notes.count == 3)
  }

  @Test("EVT-1: numbers that are not finite are dropped, alone and in lists")
  func numbers() {
    let verdict = EventRules.apply(
      name: "e",
      parameters: [
        "a": .single(.number(.infinity)), "b": .single(.number(-.infinity)), "c": .single(.number(.nan)),
        "d": .list([.number(.nan), .number(0.5), .flag(false), .integer(.min)]),
        "e": .single(.number(.greatestFiniteMagnitude)),
      ])
    #expect(verdict.parameters["d"] == .list([.number(0.5), .flag(false), .integer(.min)]))
    #expect(verdict.parameters.keys.sorted() == ["d", "e"])
  }

  @Test("EVT-1: an event with 1,000 wrong keys has 20 notes, of which the last says that there are more")
  func notes() {
    let parameters = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("\($0)", EventValue.single(.integer($0))) })
    let notes = EventRules.apply(name: "e", parameters: parameters).notes
    #expect(notes.count == EventRules.noteLimit && notes.last == "and more" && notes.first?.contains("\"0\"") == true)
  }

  @Test("EVT-1: of fifty long texts and lists, also of characters that JSON escapes, at most 8 KiB are kept")
  func bounded() throws {
    let nasty = String(repeating: "\u{1}", count: 100)
    for text in [nasty, String(repeating: "\"", count: 100), String(repeating: "🎉", count: 100)] {
      var parameters: [String: EventValue] = [:]
      for number in 0..<25 { parameters["k\(number)"] = .list([EventScalar](repeating: .text(text), count: 1000)) }
      for number in 0..<25 { parameters["a\(number)"] = .single(.text(text)) }
      let verdict = EventRules.apply(name: "e", parameters: parameters)
      let encodeCount = try JSONEncoder().encode(verdict.parameters).count
      #expect(encodeCount <= EventRules.byteLimit)
      #expect(verdict.parameters.count >= 10)
    }
  }

  @Test("EVT-1: what the rules leave is left alone by them, over the wire too")
  func stable() throws {
    let verdict = EventRules.apply(
      name: String(repeating: "n", count: 99),
      parameters: [
        "text": .single(.text(String(repeating: "x", count: 300))), "whole": .single(.integer(7)),
        "number": .single(.number(9.99)), "flag": .single(.flag(true)),
        "list": .list([.text("a"), .integer(1), .number(1.5), .flag(false)]), "none": .list([]),
      ])
    let decoded = try JSONDecoder().decode(
      [String: EventValue].self, from: try JSONEncoder().encode(verdict.parameters))
    let again = EventRules.apply(name: try #require(verdict.name), parameters: decoded)
    #expect(again.name == verdict.name && again.parameters == verdict.parameters && again.notes == [])
  }
}
