import Sodium

/// Passwords of letters that are guessed first, as people vary them: `Password`, `p@ssw0rd1!`, `qwerty2024`,
/// `qweasdzxc`. All copies of the text are in locked memory.
enum CommonPassword {
  static func isCommon(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let lower = SecretBytes(count: bytes.count) { target in
      for (index, byte) in bytes.enumerated() { target[index] = 0x41...0x5a ~= byte ? byte | 0x20 : byte }
    }
    return lower.withBytes { isListed($0) || isDecorated($0) || KeyboardWalk.isWalk($0) }
  }

  /// Letters, with up to as many other characters around them: what is around a month may be the rest of a date.
  private static func isDecorated(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isLetter = { (byte: UInt8) in 0x61...0x7a ~= byte }
    guard let first = bytes.firstIndex(where: isLetter), let last = bytes.lastIndex(where: isLetter) else {
      return false
    }
    let core = UnsafeRawBufferPointer(rebasing: bytes[first...last])
    let ends = [bytes[..<first], bytes[(last + 1)...]].map { UnsafeRawBufferPointer(rebasing: $0) }
    // A run as long as it likes adds nothing: password123456789.
    let around = ends.filter { $0.count < 3 || !isRun($0) }.reduce(0) { $0 + $1.count }
    let mayHave = months.contains(where: core.elementsEqual) ? 8 : max(4, core.count)
    guard around <= mayHave else { return false }
    return isListed(core) || core.count >= 4 && (isRun(core) || isRepetition(core))
  }

  /// In the list, as it is or with digits and signs for letters.
  private static func isListed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if CommonPassword.list.contains(where: bytes.elementsEqual) { return true }
    return [UInt8(ascii: "i"), UInt8(ascii: "l")].contains { one in
      let plain = SecretBytes(count: bytes.count) { target in
        for (index, byte) in bytes.enumerated() { target[index] = letter(for: byte, one: one) }
      }
      return plain.withBytes { plain in CommonPassword.list.contains { plain.elementsEqual($0) } }
    }
  }

  private static func letter(for byte: UInt8, one: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    case UInt8(ascii: "1"), UInt8(ascii: "!"), UInt8(ascii: "|"): one
    case UInt8(ascii: "3"): UInt8(ascii: "e")
    case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
    case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
    case UInt8(ascii: "7"): UInt8(ascii: "t")
    default: byte
    }
  }

  private static func words(_ text: String) -> [[UInt8]] { text.split { $0.isWhitespace }.map { Array($0.utf8) } }

  private static let months = words(
    """
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug sep oct nov dec januar februar maerz mai juni juli oktober dezember
    """)

  /// What heads every published list of leaked passwords, and what a person of this trade would take.
  private static let list =
    months
    + words(
      """
      password passwort passwd passw pass pwd secret secrets geheim parola contrasena motdepasse senha
      wachtwoord haslo qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm
      qwer asdf zxcv yxcvbnm qazwsx abc abcd abcde abcdef letmein welcome willkommen bienvenue hello hallo
      bonjour login admin administrator root user guest test testing tester temp default changeme change master
      access system server database computer internet windows linux iloveyou loveyou lovely love lover loveme
      babygirl baby sweetheart sweety honey darling princess prince queen king angel angels heaven jesus
      jesuschrist god blessed faith grace hope trustno monkey dragon tiger lion eagle falcon wolf bear panther
      cat dog puppy kitty kitten buddy bunny butterfly chicken turtle dolphin shark spider snake phoenix unicorn
      football soccer baseball basketball hockey tennis golf golfer rugby cricket boxing running fishing hunter
      racing yankees cowboys lakers steelers eagles rangers packers arsenal chelsea liverpool manchester
      barcelona realmadrid juventus ajax superman batman spiderman ironman hulk marvel starwars startrek yoda
      pokemon pikachu naruto gandalf hobbit harrypotter matrix ninja samurai pirate warrior knight wizard magic
      merlin shadow killer hunter2 sniper soldier freedom liberty sunshine summer winter spring autumn fall
      flower rose lily daisy cherry banana apple orange lemon peach cookie chocolate candy sugar pepper ginger
      coffee cheese pizza hotdog whatever nothing something anything everything someone anyone michael michelle
      jennifer jessica jordan joshua daniel matthew andrew anthony thomas charlie george william robert david
      james john richard joseph christopher nicholas alexander alexandra amanda ashley nicole samantha sophie
      sophia emma olivia hannah anna maria martin peter patrick brandon justin tyler austin dallas maggie bailey
      buster harley ranger mustang ferrari porsche mercedes corvette yamaha ducati honda toyota camaro chevy
      blackie silver golden diamond crystal purple yellow green blue black white orange1 rainbow thunder
      lightning storm cloud ocean river mountain moonlight monday tuesday wednesday thursday friday saturday
      sunday london paris berlin amsterdam newyork america england germany france canada australia holland
      brazil mexico india china russia ukraine bitcoin ethereum crypto stellar lumen lumens wallet money dollar
      million onside satoshi hodl blockchain samsung google facebook instagram youtube android iphone nintendo
      playstation minecraft fortnite blink metallica nirvana slipknot eminem beatles guitar music rockstar
      hiphop biteme fuckyou fuckoff fuck asshole bitch pussy sexy sexsex cool cooldude awesome perfect happy
      lucky forever friends family mother father mommy daddy brother sister junior angel1 teamo mylove
      mypassword newpassword pincode mypin
      """)
}

/// Keys beside each other on a keyboard, in pieces of at least three: qwerty, 1q2w3e4r, qazwsx, zaq12wsx.
enum KeyboardWalk {
  static func isWalk(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var length = 1
    for index in bytes.indices.dropFirst() {
      if isBeside(bytes[index - 1], bytes[index]) {
        length += 1
      } else if length < 3 {
        return false
      } else {
        length = 1
      }
    }
    return length >= 3
  }

  private static let rows = ["1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"].map { Array($0.utf8) }

  private static func isBeside(_ one: UInt8, _ other: UInt8) -> Bool {
    guard let one = place(one), let other = place(other) else { return false }
    if one.row == other.row { return abs(one.column - other.column) <= 1 }
    guard abs(one.row - other.row) == 1 else { return false }
    // Each row is shifted to the right by half a key against the one above.
    let (upper, lower) = one.row < other.row ? (one, other) : (other, one)
    return upper.column - 1...upper.column ~= lower.column
  }

  private static func place(_ byte: UInt8) -> (row: Int, column: Int)? {
    for (row, keys) in rows.enumerated() {
      if let column = keys.firstIndex(of: byte) { return (row, column) }
    }
    return nil
  }
}
