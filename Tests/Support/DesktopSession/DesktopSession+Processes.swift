package import Foundation
import Glibc

extension DesktopSession {
  /// The processes of a program that were started with an argument from this session's folder, by any process.
  package func processes(of program: String) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { id in
      guard let words = try? Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline")) else { return false }
      let line = String(decoding: words, as: UTF8.self).split(separator: "\0")
      return line.first?.hasSuffix("/\(program)") == true
        && line.dropFirst().contains { $0.hasPrefix(folder.path(percentEncoded: false)) }
    }
  }

  /// Ends them, and waits until they have ended.
  package func end(_ program: String) async throws {
    for id in processes(of: program) { _ = Glibc.kill(id, SIGKILL) }
    try await NamedDeadline.wait(for: "\(program) to end") { processes(of: program).isEmpty }
  }
}
