import Foundation

/// glibc's `malloc_trim`, which Swift's module of glibc leaves out.
@_silgen_name("malloc_trim") private func giveBack(_ kept: Int) -> Int32

/// The memory that this process and the web processes under it have, in megabytes of 1,000,000 bytes.
struct ProcessMemory {
  var app: Double
  var pages: Double

  /// Resident memory after free memory was returned to the system.
  static func now() -> ProcessMemory {
    _ = giveBack(0)
    let pages = descendants().filter { name(of: $0).hasPrefix("WebKitWebProc") }
    return ProcessMemory(app: resident(getpid()), pages: pages.reduce(0) { $0 + resident($1) })
  }

  /// The same, as soon as it has grown by at most the given amount, or after the given seconds: WebKit's allocator
  /// returns memory with a delay.
  static func now(atMost bar: Double, over before: ProcessMemory, seconds: Int = 20) async throws -> ProcessMemory {
    var memory = now()
    for _ in 0..<seconds * 2 where memory.app > before.app + bar || memory.pages > before.pages + bar {
      try await Task.sleep(for: .milliseconds(500))
      memory = now()
    }
    return memory
  }

  /// Both, and how they have grown.
  func described(since before: ProcessMemory) -> String {
    String(
      format: "app %.1f MB (%+.1f), web processes %.1f MB (%+.1f)", app, app - before.app, pages, pages - before.pages)
  }

  /// The number of web processes.
  static var webProcesses: Int { descendants().count { name(of: $0).hasPrefix("WebKitWebProc") } }

  private static func resident(_ process: pid_t) -> Double {
    let fields = text("/proc/\(process)/statm").split(separator: " ")
    return fields.count > 1 ? (Double(fields[1]) ?? 0) * Double(getpagesize()) / 1e6 : 0
  }

  private static func name(of process: pid_t) -> String { text("/proc/\(process)/comm") }

  private static func descendants() -> [pid_t] {
    let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(pid_t.init)
    let parents = Dictionary(uniqueKeysWithValues: all.map { ($0, parent(of: $0)) })
    return all.filter { process in
      var one = parents[process]
      while let process = one, process > 1, process != getpid() { one = parents[process] }
      return one == getpid()
    }
  }

  private static func parent(of process: pid_t) -> pid_t {
    let lines = text("/proc/\(process)/status").split(separator: "\n")
    return lines.first { $0.hasPrefix("PPid:") }.flatMap { pid_t($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
      ?? 0
  }

  private static func text(_ path: String) -> String {
    (try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)) ?? ""
  }
}
