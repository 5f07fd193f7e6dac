import Foundation

/// This process's memory, searched for the tail of a secret: a freed block loses its first 16 bytes to the allocator.
struct OwnMemory {
  private static let tail = 14
  private static let chunk = 1 << 20

  /// What is looked for, masked: it must not find itself.
  struct Needle {
    fileprivate let masked: [UInt8]

    init(_ secret: UnsafeRawBufferPointer) {
      // The search stops at every byte that is the needle's first one, and most of memory is zeros: that took minutes.
      masked = secret.suffix(OwnMemory.tail).drop { $0 == 0 }.map { $0 ^ mask }
    }
  }

  /// How many times a needle lies in readable memory.
  static func count(_ needle: Needle) -> Int {
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    precondition(memory >= 0)
    defer { close(memory) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk + tail, alignment: 4096)
    defer {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      buffer.deallocate()
    }
    let start = Int(bitPattern: buffer.baseAddress)
    let own = start..<start + buffer.count
    return readableRanges.flatMap { parts(of: $0, without: own) }
      .reduce(0) { $0 + count(needle, in: $1, of: memory, with: buffer) }
  }

  /// A range without the search's own buffer, which has what was read last. Only that: a copy may lie right beside it.
  private static func parts(of range: Range<Int>, without own: Range<Int>) -> [Range<Int>] {
    let before = range.lowerBound..<max(range.lowerBound, min(own.lowerBound, range.upperBound))
    let after = min(range.upperBound, max(own.upperBound, range.lowerBound))..<range.upperBound
    return [before, after].filter { !$0.isEmpty }
  }

  private static func count(
    _ needle: Needle, in range: Range<Int>, of memory: Int32, with buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    var found = 0
    var offset = range.lowerBound
    while offset < range.upperBound {
      let size = min(chunk, range.upperBound - offset)
      let count = pread(memory, buffer.baseAddress, min(size + tail - 1, range.upperBound - offset), off_t(offset))
      if count > 0 { found += matches(needle, in: buffer, count: count, starts: size) }
      offset += size
    }
    return found
  }

  private static func matches(_ needle: Needle, in buffer: UnsafeMutableRawBufferPointer, count: Int, starts: Int)
    -> Int
  {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    let first = Int32(needle.masked[0] ^ mask)
    var found = 0
    var position = 0
    while position < min(starts, count - needle.masked.count + 1),
      let hit = memchr(bytes.baseAddress! + position, first, min(starts, count) - position)
    {
      position = UnsafeRawPointer(hit) - bytes.baseAddress!
      guard position + needle.masked.count <= count else { break }
      if needle.masked.indices.allSatisfy({ bytes[position + $0] ^ mask == needle.masked[$0] }) { found += 1 }
      position += 1
    }
    return found
  }

  /// With `read(2)` until its end: a String of the whole file is one of its first 4 kB.
  private static var readableRanges: [Range<Int>] {
    let maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    defer { close(maps) }
    var text: [UInt8] = []
    var page = [UInt8](repeating: 0, count: 4096)
    while case let count = read(maps, &page, page.count), count > 0 { text += page.prefix(count) }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard fields[1].hasPrefix("r"), ends.count == 2, !line.hasSuffix("[vvar]"), !line.hasSuffix("[vsyscall]")
      else { return nil }
      return ends[0]..<ends[1]
    }
  }
}

private let mask: UInt8 = 0x5a
