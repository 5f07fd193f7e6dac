import DesktopSession
import Foundation
import Testing

@testable import SecretService

@Suite(
  "The Secret Service of a real keyring", .timeLimit(.minutes(10)),
  .enabled(if: DesktopSession.isThere, "sudo apt-get install dbus gnome-keyring libsecret-1-0 libglib2.0-bin"))
struct SecretServiceTests {
  let attributes = "xdg:schema=org.example.Test app=lumen number=1"

  func session() async throws -> DesktopSession {
    let session = try DesktopSession()
    try await session.startBus()
    try await session.startKeyring()
    return session
  }

  /// GLib finds a bus by the environment of its process, so each test has a process of its own.
  func client(_ session: DesktopSession) throws -> ClientProgram { try ClientProgram("desktop-client", in: session) }

  @Test("what is kept is found by its attributes, replaced and removed")
  func kept() async throws {
    let session = try await session()
    let client = try client(session)
    let answer = try await client.ask("check")
    #expect(answer == "done")
    let secondAnswer = try await client.ask("secret \(attributes)")
    #expect(secondAnswer == "none")
    let thirdAnswer = try await client.ask("keep hush \(attributes)")
    #expect(thirdAnswer == "done")
    let fourthAnswer = try await client.ask("secret \(attributes)")
    #expect(fourthAnswer == "hush")
    let fifthAnswer = try await client.ask("keep hush-hush \(attributes)")
    #expect(fifthAnswer == "done")
    let sixthAnswer = try await client.ask("secret \(attributes)")
    #expect(sixthAnswer == "hush-hush")
    let other = attributes.replacing("number=1", with: "number=2")
    let seventhAnswer = try await client.ask("secret \(other)")
    #expect(seventhAnswer == "none")
    let eighthAnswer = try await client.ask("keep another \(other)")
    #expect(eighthAnswer == "done")
    let ninthAnswer = try await client.ask("values number xdg:schema=org.example.Test app=lumen")
    #expect(ninthAnswer == "1,2")
    let tenthAnswer = try await client.ask("values number xdg:schema=org.example.Test app=other")
    #expect(tenthAnswer == "")
    let eleventhAnswer = try await client.ask("remove \(attributes)")
    #expect(eleventhAnswer == "done")
    let twelfthAnswer = try await client.ask("values number xdg:schema=org.example.Test app=lumen")
    #expect(twelfthAnswer == "2")
    let thirteenthAnswer = try await client.ask("remove \(attributes)")
    #expect(thirteenthAnswer == "done")
    // Another program of the session, as after a restart.
    let fourteenthAnswer = try await self.client(session).ask("secret \(other)")
    #expect(fourteenthAnswer == "another")
  }

  @Test("a daemon that is killed is an error and not an absent secret, and its successor is found without a new start")
  func daemonKilled() async throws {
    let session = try await session()
    let client = try client(session)
    let answer = try await client.ask("keep hush \(attributes)")
    #expect(answer == "done")
    session.killKeyring()
    #expect(try await client.ask("secret \(attributes)").hasPrefix("unavailable: "))
    try await session.startKeyring()
    let secondAnswer = try await client.ask("secret \(attributes)")
    #expect(secondAnswer == "hush")
  }

  @Test("a bus that goes away is an error, also in the middle of a call, and is found again when it is back")
  func busKilled() async throws {
    let session = try await session()
    let client = try client(session)
    let answer = try await client.ask("keep hush \(attributes)")
    #expect(answer == "done")
    session.pauseKeyring(true)
    let monitor = try await BusMonitor(of: "GetAll", in: session)
    async let hanging = client.ask("secret \(attributes)")
    try await monitor.called()
    session.killBus()
    session.killKeyring()
    #expect(try await hanging.hasPrefix("unavailable: "))
    #expect(try await client.ask("secret \(attributes)").hasPrefix("unavailable: "))
    try await session.startBus()
    try await session.startKeyring()
    let secondAnswer = try await client.ask("secret \(attributes)")
    #expect(secondAnswer == "hush")
  }

  @Test("a locked collection is an error and not an absent secret, also when no user can answer a prompt")
  func locked() async throws {
    let session = try await session()
    let client = try client(session)
    let answer = try await client.ask("keep hush \(attributes)")
    #expect(answer == "done")
    try await session.lock()
    let secondAnswer = try await client.ask("check")
    #expect(secondAnswer == "locked")
    let thirdAnswer = try await client.ask("secret \(attributes)")
    #expect(thirdAnswer == "locked")
    let fourthAnswer = try await client.ask("keep hush \(attributes)")
    #expect(fourthAnswer == "locked")
    let fifthAnswer = try await client.ask("values number app=lumen")
    #expect(fifthAnswer == "")
    let asked = try await client.ask("ask \(attributes)")
    #expect(asked == "locked" || asked.hasPrefix("unavailable: "))
  }

  @Test("a bus without the service, and a session without a bus, are said")
  func absent() async throws {
    let session = try DesktopSession()
    try await session.startBus()
    #expect(try await client(session).ask("check").hasPrefix("unavailable: "))
    #expect(!SessionBus.isThere(in: [:]))
    #expect(!SessionBus.isThere(in: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/nowhere"]))
    #expect(!SessionBus.isThere(in: ["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]))
    #expect(!SessionBus.isThere(in: ["DBUS_SESSION_BUS_ADDRESS": "disabled:"]))
    let folder = session.folder.appending(path: "run").path(percentEncoded: false)
    #expect(SessionBus.isThere(in: ["XDG_RUNTIME_DIR": folder]))
  }

  @Test("a service that hangs is given up by the deadline, and answers when it goes on")
  func hanging() async throws {
    let session = try await session()
    let client = try client(session)
    let answer = try await client.ask("keep hush \(attributes)")
    #expect(answer == "done")
    session.pauseKeyring(true)
    let secondAnswer = try await client.ask("hasty \(attributes)")
    #expect(secondAnswer == "timed out")
    let thirdAnswer = try await client.ask("blocking-hasty")
    #expect(thirdAnswer == "timed out")
    session.pauseKeyring(false)
    let fourthAnswer = try await client.ask("secret \(attributes)")
    #expect(fourthAnswer == "hush")
    let fifthAnswer = try await client.ask("blocking")
    #expect(fifthAnswer == "done")
  }

  @Test("many calls at once are each answered")
  func many() async throws {
    let session = try await session()
    let client = try client(session)
    let answer = try await client.ask("keep hush \(attributes)")
    #expect(answer == "done")
    let secondAnswer = try await client.ask("many \(attributes)")
    #expect(secondAnswer == "hush")
  }
}
