#if os(Linux)
  import Foundation
  import Testing

  @testable import OnsideKit

  @Suite("Programs of the desktop", .timeLimit(.minutes(5)))
  struct SystemToolTests {
    @Test("a program says whether all went well, and what it writes; arguments are no part of a shell line")
    func outcomes() async {
      #expect(await SystemTool("true").run())
      #expect(await !SystemTool("false").run())
      #expect(await !SystemTool("onside-no-such-program").run())
      #expect(await SystemTool("printf", ["%s\n", "$HOME; \"a\" b"]).output() == "$HOME; \"a\" b")
      #expect(await SystemTool("sh", ["-c", "echo one; exit 1"]).output() == nil)
      #expect(await SystemTool("sh", ["-c", "echo $A"], ["A": "b", "PATH": "/usr/bin:/bin"]).output() == "b")
      #expect(await SystemTool("true").output() == "")
    }

    @Test("programs that start in the same moment do not have each other's pipes")
    func pipes() async {
      let listing = ["-c", "for file in /proc/$$/fd/*; do readlink $file; done"]
      var files: [[String]] = []
      await withTaskGroup { group in
        for _ in 0..<100 { group.addTask { await SystemTool("sh", listing).output() ?? "" } }
        for await list in group { files.append(list.split(separator: "\n").map(String.init)) }
      }
      let outputs = files.compactMap { $0.count > 1 ? $0[1] : nil }
      #expect(outputs.count == 100 && outputs.allSatisfy { $0.hasPrefix("socket:") })
      for list in files { #expect(list.count { outputs.contains($0) } == 1, "\(list)") }
    }

    @Test("a program can be ended by signals, from whichever thread it was started")
    func signals() async {
      let mask = await SystemTool("grep", ["SigBlk", "/proc/self/status"]).output()
      #expect(mask?.split(separator: "\t").last == "0000000000000000")
      #expect(await !SystemTool("sh", ["-c", "kill -TERM $$; sleep 60"]).run())
    }
  }
#endif
