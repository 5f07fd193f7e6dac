import Foundation

/// Memory and processor time of a process, from the kernel.
struct ProcessStatus {
  private let status: String
  private let stat: [Substring]

  init(_ id: Int32) throws {
    status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    let line = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    // The program's name, in parentheses, may hold spaces.
    stat = line.split(separator: ")").last?.split(separator: " ") ?? []
  }

  /// Resident memory in megabytes of 1,000,000 bytes.
  func residentMegabytes() throws -> Double { try kibibytes("VmRSS") * 1024 / 1e6 }

  /// The part of the resident memory that is not a file's, in megabytes of 1,000,000 bytes.
  func anonymousMegabytes() throws -> Double { try kibibytes("RssAnon") * 1024 / 1e6 }

  /// Processor time used so far, in seconds.
  func cpuSeconds() throws -> Double {
    guard stat.count > 12, let user = Double(stat[11]), let system = Double(stat[12]) else {
      throw BenchFailure("expected processor times in /proc/PID/stat")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func kibibytes(_ name: String) throws -> Double {
    for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
      if let number = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) { return number }
    }
    throw BenchFailure("expected \(name) in /proc/PID/status")
  }
}
