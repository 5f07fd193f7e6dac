import Foundation

/// A message from a page, as lines of words:
///
///     call 12 getTransactions
///     again 2
///     call 15 loadProducts {"productIdentifiers":["coins"]}
///     answer 3 true
///     ready
///     alive
///
/// A call has an id that no open call of the page has, a function's name and optional parameters: JSON as
/// `JSON.stringify` writes it, without line breaks. `again` repeats the call without parameters in the line before it
/// so many times, under the ids that follow. An answer has the id of a gate. `ready` reports that the page listens to
/// events and gates, `alive` answers a heartbeat. Most calls have no parameters and need no JSON parsing. Replies are
/// JSON (``BridgeMessage``).
struct PageMessage: Sendable {
  enum Line: Sendable {
    case call(PageCall)
    case answer(PageAnswer)
    case ready
    case alive
  }

  let lines: [Line]
  /// The most repetitions of calls in one message, all together.
  private static let repetitions = 10_000

  /// Reads a message: all of it or nothing.
  init(_ text: String, limits: BridgeLimits) throws(BridgeError) {
    let size = text.utf8.count
    guard size <= limits.messageBytes else {
      throw .tooLarge(size, limits)
    }
    var lines: [Line] = []
    var rest = Array(text.utf8)[...]
    var repeated = 0
    repeat {
      var text = rest.takeUntil(UInt8(ascii: "\n"))
      if let line = Line(text) {
        lines.append(line)
      } else if case .call(let call) = lines.last, text.takeWord().elementsEqual("again".utf8), let count = Int(text),
        count > 0, count <= Self.repetitions - repeated, let call = call.repeated(count)
      {
        repeated += count
        lines[lines.count - 1] = .call(call)
      } else {
        throw BridgeError(
          .brokenRequest,
          "The message is none of this bridge's: line \(lines.count + 1) is no call, answer, ready or alive")
      }
    } while !rest.isEmpty
    self.lines = lines
  }
}

extension PageMessage.Line {
  fileprivate init?(_ text: ArraySlice<UInt8>) {
    var rest = text
    let kind = rest.takeWord()
    if kind.elementsEqual("call".utf8) {
      guard let call = PageCall(rest) else { return nil }
      self = .call(call)
    } else if kind.elementsEqual("answer".utf8) {
      guard let answer = PageAnswer(rest) else { return nil }
      self = .answer(answer)
    } else if text.elementsEqual("ready".utf8) {
      self = .ready
    } else if text.elementsEqual("alive".utf8) {
      self = .alive
    } else {
      return nil
    }
  }
}

/// One call of a page.
struct PageCall: Sendable {
  let id: Int
  let request: PageRequest
  /// How often the call is made, each time under the next id.
  private(set) var count = 1
  private let hasParameters: Bool

  var ids: ClosedRange<Int> { id...(id + (count - 1)) }

  /// Whether pages can make the values of all of them from one: it is flat.
  var mayBeAnsweredOnce: Bool {
    if case .read(.success(.getCurrentStorefront)) = request { count > 1 } else { false }
  }

  /// The same call, made again. Parameters that take long to read would take as long each time.
  fileprivate func repeated(_ more: Int) -> PageCall? {
    guard count == 1, !hasParameters, !id.addingReportingOverflow(more).overflow else { return nil }
    var call = self
    call.count += more
    return call
  }

  fileprivate init?(_ words: ArraySlice<UInt8>) {
    var parameters = words
    guard let id = Int(parameters.takeWord()) else { return nil }
    self.id = id
    let name = String(decoding: parameters.takeWord(), as: UTF8.self)
    hasParameters = !parameters.isEmpty
    request = PageRequest(name, parameters)
  }
}

/// The request of a call, or the error why it could not be decoded.
enum PageRequest: Sendable {
  case read(Result<BridgeRequest, BridgeError>)
  /// Its parameters are large. Parsing some megabytes from a hostile page takes many seconds, so a separate thread
  /// reads them.
  case unread(BridgeFunction, [UInt8])

  /// The parameters that are read at once, in bytes.
  private static let small = 4096

  fileprivate init(_ name: String, _ parameters: ArraySlice<UInt8>) {
    if let function = BridgeFunction.byName[name] {
      let isSmall = parameters.count <= Self.small
      self = isSmall ? .read(Self.read(function, parameters)) : .unread(function, Array(parameters))
    } else {
      self = .read(.failure(.notDefined(name)))
    }
  }

  private static func read(
    _ function: BridgeFunction, _ parameters: ArraySlice<UInt8>
  ) -> Result<BridgeRequest, BridgeError> {
    Result { try function.read(BridgeParameters(json: parameters)) }.mapError { .invalid(function, $0) }
  }

  /// The one thread that reads large parameters: on many, each would keep some of the memory that it once needed.
  private static let reader = DispatchQueue(label: "onside.bridge.reader")

  /// Reads large parameters, on a thread that may be busy for long.
  static func read(_ function: BridgeFunction, _ parameters: [UInt8]) async -> Result<BridgeRequest, BridgeError> {
    await withCheckedContinuation { done in
      reader.async { done.resume(returning: read(function, parameters[...])) }
    }
  }
}

/// A page's answer to a gate.
struct PageAnswer: Sendable {
  let gate: Int
  let value: Bool

  fileprivate init?(_ words: ArraySlice<UInt8>) {
    var value = words
    guard let gate = Int(value.takeWord()), let value = Bool(String(decoding: value, as: UTF8.self)) else { return nil }
    self.gate = gate
    self.value = value
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns what stands before a byte, and removes the byte; everything when there is none.
  fileprivate mutating func takeUntil(_ byte: UInt8) -> Self {
    guard let end = firstIndex(of: byte) else {
      defer { self = [] }
      return self
    }
    defer { self = self[(end + 1)...] }
    return self[..<end]
  }

  fileprivate mutating func takeWord() -> Self { takeUntil(UInt8(ascii: " ")) }
}

extension Int {
  /// A number in decimal digits.
  fileprivate init?(_ digits: ArraySlice<UInt8>) { self.init(String(decoding: digits, as: UTF8.self)) }
}

extension BridgeError {
  /// The refusal of a message with more bytes than the limits allow.
  static func tooLarge(_ size: Int, _ limits: BridgeLimits) -> BridgeError {
    BridgeError(
      .brokenRequest, "A message may have \(limits.messageBytes) bytes, this one has \(size); send less at a time")
  }

  fileprivate static func notDefined(_ name: String) -> BridgeError {
    BridgeError(.functionNotDefined, "window.onside has no function \"\(name.prefix(100))\"")
  }

  fileprivate static func invalid(_ function: BridgeFunction, _ error: any Error) -> BridgeError {
    let expected = function.parameter.map { "\($0.name): \($0.type)" } ?? "nothing"
    return BridgeError(.invalidArguments, "\(function.name) expects \(expected); \(DecodingFault(error))")
  }
}

/// A short description of a decoding error, without the decoded values.
private struct DecodingFault: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error as? DecodingError {
      case .typeMismatch(let type, let context): "\(Self.path(context)) is no \(type)"
      case .valueNotFound(_, let context): "\(Self.path(context)) is missing"
      case .keyNotFound(let key, let context): "\(Self.path(context, key)) is missing"
      case .dataCorrupted(let context): "\(Self.path(context)) is not valid"
      default: "it cannot be read"
      }
  }

  private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
    let keys = (context.codingPath + [key].compactMap { $0 }).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return keys.isEmpty ? "it" : keys.joined(separator: ".").replacing(".[", with: "[")
  }
}
