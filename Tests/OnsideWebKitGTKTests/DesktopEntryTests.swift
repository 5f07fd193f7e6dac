import DesktopSession
import Foundation
import OnsideKit
import OnsideWebKitGTK
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DesktopEntryTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "onside-\(UUID().uuidString)")
  let entry = DesktopEntry(id: "io.example.lumen", name: "Lumen", command: ["/opt/lumen"], schemes: ["Lumen-Auth"])

  var environment: [String: String] {
    [
      "HOME": folder.path, "XDG_DATA_DIRS": folder.appending(path: "system").path,
      "PATH": "/usr/local/bin:/usr/bin:/bin",
    ]
  }

  static var hasDesktopTools: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/xdg-mime") }

  @Test("The file names program, scheme and address as the specification has them, and quotes what has to be")
  func text() {
    #expect(entry.text.contains("\nExec=/opt/lumen %u\nMimeType=x-scheme-handler/lumen-auth;\n"))
    var odd = entry
    odd.command = ["/opt/my \"app\"/100%", "--page", "https://a.example/?q=$HOME"]
    #expect(
      odd.text.contains(
        #"Exec="/opt/my \\"app\\"/100%%" --page "https://a.example/?q=\\$HOME" %u"#))
  }

  @Test(
    "ACC-7: the desktop finds a program until it is unregistered; the user's other choices stay",
    .enabled(if: hasDesktopTools, "xdg-mime is not installed: sudo apt-get install xdg-utils"))
  func registers() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let desktop = try #require(Desktop(environment: environment))
    let opener = SystemAppOpener(environment: environment)
    let address = try #require(URL(string: "lumen-auth://onside"))
    #expect(await !opener.canOpen(address))
    let list = folder.appending(path: ".config/mimeapps.list")
    let others = "[Added Associations]\ntext/plain=a.desktop\n\n[Default Applications]\ntext/html=b.desktop\n"
    try FileManager.default.createDirectory(
      at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
    try others.write(to: list, atomically: true, encoding: .utf8)
    try entry.register(desktop)
    try entry.register(desktop)
    #expect(await opener.canOpen(address))
    let result = try String(contentsOf: list, encoding: .utf8)
    #expect(
      result == others.replacing("text/html", with: "x-scheme-handler/lumen-auth=io.example.lumen.desktop\ntext/html"))
    try entry.unregister(desktop)
    #expect(await !opener.canOpen(address))
    let secondResult = try String(contentsOf: list, encoding: .utf8)
    #expect(secondResult == others)
  }

  @Test("Without a home there is no desktop")
  func homeless() {
    #expect(Desktop(environment: ["PATH": "/usr/bin"]) == nil)
    #expect(Desktop(environment: ["XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "/config"]) == nil)
  }

  @Test("A later process of an app hands its address to the first one, and takes its place when that has ended")
  func instances() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var first = try await AppInstance.claim(folder, orHand: "")
    let addresses = try #require(first).addresses
    for address in ["lumen-auth://onside?code=1", ""] {
      let claim = try await AppInstance.claim(folder, orHand: address)
      #expect(claim == nil)
    }
    var heard: Set<String> = []
    for await address in addresses {
      heard.insert(address)
      if heard.count == 2 { break }
    }
    #expect(heard == ["lumen-auth://onside?code=1", ""])
    first = nil
    let secondClaim = try await AppInstance.claim(folder, orHand: "")
    #expect(secondClaim != nil)
  }

  @Test("ACC-10: A process that is killed may hold its place a moment longer: no address is lost to it")
  func dying() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var dying: FileLock? = try FileLock.takeNow(folder.appending(path: "instance.lock"))
    let inbox = folder.appending(path: "inbox")
    let later = Task { [folder] in try await AppInstance.claim(folder, orHand: "lumen-auth://onside?code=1") }
    try await NamedDeadline.wait(for: "an address in the inbox") {
      (try? FileManager.default.contentsOfDirectory(atPath: inbox.path))?.isEmpty == false
    }
    // A process that was killed while waiting leaves this file.
    try Data("lumen-auth://onside?code=0".utf8).write(to: inbox.appending(path: "old"))
    #expect(dying != nil)
    dying = nil
    let instance = try await later.value
    #expect(instance != nil)
    let claim = try await AppInstance.claim(folder, orHand: "lumen-auth://onside?code=2")
    #expect(claim == nil)
    for await address in try #require(instance).addresses {
      #expect(address == "lumen-auth://onside?code=2")
      break
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: inbox.path).isEmpty)
  }
}
