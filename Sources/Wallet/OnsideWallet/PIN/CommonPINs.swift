import Sodium

extension PIN {
  /// Whether it is among those that an attacker tries first: fewer than six characters, dates, repetitions, runs, paths
  /// on the keypad or the keyboard, and common passwords with what people put around them. Of the million of six digits
  /// that is about a tenth, which is what it takes to help (Markert et al., IEEE S&P 2020); a rule, since whatever is
  /// listed can be guessed from the list as well.
  public var isCommon: Bool { bytes.withBytes(Self.isCommon) }

  package static func isCommon(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.count < 6 || isRun(bytes) || isRepetition(bytes) { return true }
    guard bytes.count == 6, bytes.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return isWrittenDate(bytes) || CommonPassword.isCommon(bytes)
    }
    return isDate(bytes) || isPattern(bytes) || isPath(bytes)
  }
}

/// Each character a fixed step after the one before: 123456, 024680, 999999, abcdef; digits go round.
func isRun(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let steps = zip(bytes.dropFirst(), bytes).map { (Int($0) - Int($1) + 10) % 10 }
  return Set(steps).count == 1
}

/// One part over and over: 121212, 123123, aaaaaaa.
func isRepetition(_ bytes: UnsafeRawBufferPointer) -> Bool {
  (1...bytes.count / 2).contains { length in
    bytes.count.isMultiple(of: length) && bytes.indices.dropFirst(length).allSatisfy { bytes[$0] == bytes[$0 - length] }
  }
}

/// Two digits for each of day, month and year, in the three orders that people write.
private func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let pairs = stride(from: 0, to: 6, by: 2).map { Int(bytes[$0] - 0x30) * 10 + Int(bytes[$0 + 1] - 0x30) }
  let isDayMonth = { (day: Int, month: Int) in 1...31 ~= day && 1...12 ~= month }
  return isDayMonth(pairs[0], pairs[1]) || isDayMonth(pairs[1], pairs[0]) || isDayMonth(pairs[2], pairs[1])
}

/// A date with four digits for the year, or with something between its parts: 24121990, 1990-12-24, 24.12.90, 1/2/1990.
private func isWrittenDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let parts = bytes.split { !(0x30...0x39 ~= $0) }
  guard parts.allSatisfy({ 1...8 ~= $0.count }) else { return false }
  let isPlain = bytes.allSatisfy { 0x30...0x39 ~= $0 || " ./-_:".utf8.contains($0) }
  guard isPlain else { return false }
  switch parts.map(\.count) {
  case [8]: return [[4, 2, 2], [2, 2, 4]].contains { isDate(cut(parts[0], into: $0)) }
  case [7]: return [[1, 2, 4], [2, 1, 4]].contains { isDate(cut(parts[0], into: $0)) }
  case let counts where counts.count == 3: return isDate(parts)
  default: return false
  }
}

private func cut(_ digits: Slice<UnsafeRawBufferPointer>, into lengths: [Int]) -> [Slice<UnsafeRawBufferPointer>] {
  var start = digits.startIndex
  return lengths.map { length in
    defer { start += length }
    return digits[start..<start + length]
  }
}

/// Day, month and year in any order: the year has four digits, or two at the beginning or the end.
private func isDate(_ parts: [Slice<UnsafeRawBufferPointer>]) -> Bool {
  let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
  let isYear = { (index: Int) in
    parts[index].count == 4 ? 1900..<2100 ~= numbers[index] : parts[index].count == 2
  }
  let isDayMonth = { (one: Int, two: Int) in
    let (one, two) = (numbers[one], numbers[two])
    return 1...31 ~= one && 1...12 ~= two || 1...12 ~= one && 1...31 ~= two
  }
  return isYear(2) && isDayMonth(0, 1) || isYear(0) && isDayMonth(1, 2)
}

/// Two halves alike in some way: 123321, 456654, 112233, 111222, 123456 by halves; or at most two digits in all.
private func isPattern(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let digits = bytes.map { Int($0) - 0x30 }
  if Set(digits).count <= 2 || digits == digits.reversed() { return true }
  if digits[0] == digits[1], digits[2] == digits[3], digits[4] == digits[5] { return true }
  return isArithmetic(digits.prefix(3)) && isArithmetic(digits.suffix(3))
}

private func isArithmetic(_ digits: ArraySlice<Int>) -> Bool {
  Set(zip(digits.dropFirst(), digits).map { $0 - $1 }).count == 1
}

/// Every digit beside the one before on the keypad, or the same again: 147852, 258000.
private func isPath(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let places = bytes.map { place(of: Int($0) - 0x30) }
  return zip(places.dropFirst(), places).allSatisfy { abs($0.row - $1.row) + abs($0.column - $1.column) <= 1 }
}

private func place(of digit: Int) -> (row: Int, column: Int) {
  digit == 0 ? (3, 1) : ((digit - 1) / 3, (digit - 1) % 3)
}
