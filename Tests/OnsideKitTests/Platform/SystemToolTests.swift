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
      let output = await SystemTool("printf", arguments: ["%s\n", "$HOME; \"a\" b"]).output()
      #expect(output == "$HOME; \"a\" b")
      let secondOutput = await SystemTool("sh", arguments: ["-c", "echo one; exit 1"]).output()
      #expect(secondOutput == nil)
      let thirdOutput = await SystemTool(
        "sh", arguments: ["-c", "echo $A"], environment: ["A": "b", "PATH": "/usr/bin:/bin"]
      ).output()
      #expect(thirdOutput == "b")
      let fourthOutput = await SystemTool("true").output()
      #expect(fourthOutput == "")
    }

    @Test("programs that start in the same moment do not have each other's pipes")
    func pipes() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "pipes-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // One of the files is the listing's own and closed by then: readlink says so.
      let listing = "readlink /proc/$$/fd/1; (for file in /proc/$$/fd/*; do readlink $file || :; done) > $0"
      var outputs: Set<String> = []
      await withTaskGroup { group in
        for number in 0..<100 {
          group.addTask {
            await SystemTool("sh", arguments: ["-c", listing, folder.appending(path: "\(number)").path]).output()
          }
        }
        for await output in group { outputs.insert(output ?? "failed") }
      }
      #expect(outputs.count == 100 && outputs.allSatisfy { $0.hasPrefix("socket:") })
      for number in 0..<100 {
        let files = try String(contentsOf: folder.appending(path: "\(number)"), encoding: .utf8).split(separator: "\n")
        #expect(files.count { outputs.contains(String($0)) } == 1, "\(files)")
      }
    }

    @Test("a program that writes more than a few words is read to its end; who is left behind is not waited for")
    func long() async {
      let long = "i=0; while [ $i -lt 20000 ]; do printf 12345678; i=$((i + 1)); done"
      let outputCount = await SystemTool("sh", arguments: ["-c", long]).output()?.count
      #expect(outputCount == 4096)
      let flatMap = await SystemTool("sh", arguments: ["-c", "sleep 600 & echo $!"]).output().flatMap(pid_t.init).map {
        kill($0, 9)
      }
      #expect(flatMap == 0)
    }

    @Test("a program can be ended by signals, from whichever thread it was started")
    func signals() async {
      let mask = await SystemTool("grep", arguments: ["SigBlk", "/proc/self/status"]).output()
      #expect(mask?.split(separator: "\t").last == "0000000000000000")
      #expect(await !SystemTool("sh", arguments: ["-c", "kill -TERM $$; sleep 60"]).run())
    }
  }
#endif
