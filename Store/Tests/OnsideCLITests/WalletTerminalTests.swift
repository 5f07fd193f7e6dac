import Foundation
import Glibc
import Testing

/// `onside wallet` at a terminal, with a person before it.
@Suite(.timeLimit(.minutes(5))) struct WalletTerminalTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func type(_ arguments: String...) throws -> TerminalProgram {
    try TerminalProgram(onside, arguments: ["wallet"] + arguments + ["--wallet", "w"])
  }

  private func make(pin: String) async throws {
    let made = try await onside.run(
      ["wallet", "create", "--no-vault", "--network", "test", "--wallet", "w", "--pin-fd", "0"], input: pin + "\n")
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Answers as many of the words as are asked; the places that were asked for.
  private func giveWords(_ terminal: TerminalProgram, wrong: Bool = false) async throws -> [Int] {
    var places: [Int] = []
    var words: [Substring] = []
    var behind = "Write them down"
    for _ in 0..<3 {
      let before = try await terminal.until(", as you wrote it: ", after: behind)
      if words.isEmpty {
        let sheet = before.components(separatedBy: "recover them.").last ?? ""
        words = Array(sheet.split { $0.isWhitespace }.prefix(24))
      }
      let place = try #require(before.split(separator: " ").last.flatMap { Int($0) })
      places.append(place)
      #expect(terminal.echoes)
      let word = try #require(words.indices.contains(place - 1) ? words[place - 1] : nil, "\(terminal.screen)")
      terminal.type(wrong ? "wrong\n" : "\(word)\n")
      if wrong { break }
      behind = "Word \(place), as you wrote it: "
    }
    return places
  }

  /// Takes the random PIN that is offered.
  private func takePIN(_ terminal: TerminalProgram) async throws -> String {
    _ = try await terminal.until("Press Return to take it, or type another: ")
    let offered = try await terminal.until(".", after: "Yours would be ")
    try await terminal.until(echoes: false)
    terminal.type("\n")
    return offered
  }

  @Test("A random PIN is offered, Return takes it, then the words are shown, and three of them asked back")
  func create() async throws {
    let terminal = try type("create", "--no-vault", "--network", "test")
    let offered = try await takePIN(terminal)
    #expect(offered.wholeMatch(of: /[0-9]{6}/) != nil)
    let places = try await giveWords(terminal)
    #expect(Set(places).count == 3 && places == places.sorted() && places.allSatisfy { 1...24 ~= $0 })
    let ended = await terminal.ended()
    #expect(ended == 0, "\(terminal.screen)")
    let signedIn = try await onside.run(
      ["wallet", "sign-in", "--wallet", "w", "--pin-fd", "0"], input: offered + "\n")
    #expect(signedIn.status == 0 && terminal.screen.contains(signedIn.output.trimmingCharacters(in: .newlines)))
  }

  @Test("WAL-6: A weak PIN is refused before words are shown", arguments: ["123456", "password", "24121990"])
  func weakPIN(pin: String) async throws {
    let terminal = try type("create", "--no-vault")
    _ = try await terminal.until("or type another: ")
    try await terminal.until(echoes: false)
    terminal.type(pin + "\n")
    _ = try await terminal.until("The same again: ")
    try await terminal.until(echoes: false)
    terminal.type(pin + "\n")
    let ended = await terminal.ended()
    #expect(ended == 1)
    #expect(terminal.screen.contains("guessed first") && !terminal.screen.contains("These words are the key"))
  }

  @Test("A word that is not the one that was shown makes no wallet")
  func wrongWord() async throws {
    let terminal = try type("create", "--no-vault")
    _ = try await takePIN(terminal)
    _ = try await giveWords(terminal, wrong: true)
    let ended = await terminal.ended()
    #expect(ended == 1)
    #expect(terminal.screen.contains("nothing was made"))
    let status = try await onside.run("wallet", "address", "--wallet", "w").status
    #expect(status == 1)
  }

  @Test("WAL-10: A PIN does not show while it is typed, and the terminal is as it was afterwards")
  func echo() async throws {
    try await make(pin: "908172")
    let terminal = try type("sign-in")
    #expect(terminal.echoes)
    _ = try await terminal.until("PIN: ")
    try await terminal.until(echoes: false)
    terminal.type("908172\n")
    let ended = await terminal.ended()
    #expect(ended == 0, "\(terminal.screen)")
    #expect(!terminal.screen.contains("908172") && terminal.screen.contains("G"))
    #expect(terminal.echoes && terminal.hasSignals)
  }

  @Test("Two new PINs that differ change nothing, and neither shows")
  func twice() async throws {
    try await make(pin: "908172")
    let terminal = try type("change-pin")
    _ = try await terminal.until("PIN until now: ")
    try await terminal.until(echoes: false)
    terminal.type("908172\n")
    _ = try await terminal.until("or type another: ")
    try await terminal.until(echoes: false)
    terminal.type("718260\n")
    _ = try await terminal.until("The same again: ")
    try await terminal.until(echoes: false)
    terminal.type("718269\n")
    let ended = await terminal.ended()
    #expect(ended == 1)
    #expect(terminal.screen.contains("nothing was done"))
    #expect(!["908172", "718260", "718269"].contains { terminal.screen.contains($0) })
    let old = try await onside.run(["wallet", "sign-in", "--wallet", "w", "--pin-fd", "0"], input: "908172\n")
    #expect(old.status == 0)
  }

  @Test("Control-C while a PIN is typed stops at once, tries nothing, and leaves the terminal as it was")
  func interrupt() async throws {
    try await make(pin: "908172")
    let terminal = try type("sign-in")
    _ = try await terminal.until("PIN: ")
    try await terminal.until(echoes: false)
    #expect(!terminal.hasSignals)
    terminal.type("9081\u{3}")
    let ended = await terminal.ended()
    #expect(ended == 1)
    #expect(terminal.screen.contains("stopped; nothing was done"))
    #expect(terminal.echoes && terminal.hasSignals)
    #expect(!terminal.screen.contains("9081"))
  }
}
