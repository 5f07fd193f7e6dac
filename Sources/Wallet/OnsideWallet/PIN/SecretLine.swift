package import Sodium

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A line of a file or a terminal, read straight into locked memory: a PIN, or words. Prints as redacted.
public struct SecretLine: Sendable {
  /// What is longer is not taken, in bytes.
  public static let limit = 4096

  package let bytes: SecretBytes

  /// Reads up to the end of the line (LF or CR LF), which is left away, or to the end of the file. Not a byte more is
  /// read.
  ///
  /// - Parameters:
  ///   - descriptor: the open file or terminal.
  ///   - interrupt: a byte that ends the line as well, and stays in it: what a terminal gives for Control-C.
  /// - Throws: ``WalletError/Kind/storage`` when the descriptor cannot be read, has nothing, or has too much.
  public init(readingFrom descriptor: Int32, orUpTo interrupt: UInt8? = nil) throws(WalletError) {
    var count = 0
    var isOver = false
    let line = SecretBytes(count: Self.limit + 1) { target in
      while count < target.count {
        let more = systemRead(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: target[count...count]))
        if more < 0 && errno == EINTR { continue }
        isOver = more <= 0
        if isOver || target[count] == UInt8(ascii: "\n") { break }
        count += 1
        if target[count - 1] == interrupt { break }
      }
    }
    guard count > 0 || !isOver else {
      throw .storage("expected a line from file \(descriptor), got none")
    }
    guard count <= Self.limit else {
      throw .storage("expected a line of at most \(Self.limit) bytes from file \(descriptor), got a longer one")
    }
    let endsInReturn = line.withBytes { count > 0 && $0[count - 1] == UInt8(ascii: "\r") }
    bytes = line.slice(0..<(endsInReturn ? count - 1 : count))
  }

  /// Lends the bytes.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes(body)
  }

  /// Whether both hold the same, compared in a time that tells nothing but the lengths.
  public func isEqual(to other: SecretLine) -> Bool { bytes.isEqual(to: other.bytes) }
}

extension SecretLine: CustomStringConvertible, CustomReflectable {
  /// Never the line.
  public var description: String { "redacted" }
  /// Empty: a dump shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PIN {
  /// A PIN that was read.
  public init(_ line: SecretLine) { self = line.withBytes { PIN(utf8: $0) } }
}

/// `read(2)`, under a name that does not meet a method's.
private func systemRead(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, target.baseAddress, target.count)
}
