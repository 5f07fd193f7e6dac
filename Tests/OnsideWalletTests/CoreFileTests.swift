import Foundation
import OnsideAPI
import OnsideWallet
import Sodium
import Stellar
import Testing

/// The whole image of a wallet's process, as a debugger writes it (gcore), searched for what must not be there.
@Suite(
  "A core file",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gdb"), "gdb is missing (script/setup)"),
  .timeLimit(.minutes(5)))
struct CoreFileTests {
  @Test("WAL-10: has neither PIN nor key nor device secret after sign out, not even of locked pages")
  func signedOut() throws {
    let device = try Device()
    let core = try device.core("signed-out", all: true)
    #expect(device.found(in: core) == [])
  }

  @Test("WAL-10: has the key while it is lent, in locked pages alone: the search finds what is there")
  func lent() throws {
    let device = try Device()
    #expect(device.found(in: try device.core("lent", all: true)).contains("seed, bytes"))
    // The kernel leaves locked pages out of core files, and so does gcore unless it is told otherwise.
    let found = device.found(in: try device.core("lent", all: false))
    #expect(found == [])
  }

  /// A wallet whose secrets are known, and were made in another process than the one that is looked at.
  private final class Device {
    private let wallet: TestWallet
    private let needles: [(name: String, bytes: [UInt8])]

    init() throws {
      wallet = try TestWallet()
      let pair = SigningKeyPair.random()
      let pin = SecretBytes(random: 16).withBytes { Hexadecimal.encode($0) }
      _ = try wallet.service.signUp(userKeyPair: pair, pin: pin)
      try pin.write(to: wallet.folder.appending(path: "pin"), atomically: false, encoding: .utf8)
      let folder = wallet.secrets.path(percentEncoded: false)
      let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
      let secret = try Array(Data(contentsOf: wallet.secrets.appending(path: file)))
      needles =
        Self.forms("PIN", of: Array(pin.utf8)) + Self.forms("seed", of: pair.seed.withBytes { Array($0) })
        + Self.forms("device secret", of: Array(secret.prefix(32)))
        + Self.forms("device key", of: Array(secret.suffix(32)))
        + [("S…", pair.withSecret { Array($0.suffix(40)) })]
    }

    /// The image of a process that stands still.
    func core(_ state: String, all: Bool) throws -> Data {
      let process = WalletProcess(folder: wallet.folder, vault: nil)
      let id = try process.launch("hold", state)
      defer {
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
      }
      let sign = wallet.folder.appending(path: "holds").path(percentEncoded: false)
      let deadline = ContinuousClock.now + .seconds(120)
      while !FileManager.default.fileExists(atPath: sign) {
        try #require(ContinuousClock.now < deadline, "the process did not come to “\(state)” within two minutes")
        try #require(kill(id, 0) == 0 && waitpid(id, nil, WNOHANG) == 0, "the process ended")
        usleep(10_000)
      }
      try FileManager.default.removeItem(atPath: sign)
      let file = wallet.folder.appending(path: "core.\(id)")
      try process.run(tool: [
        "/usr/bin/gdb", "-nx", "-batch", "-iex", "set auto-solib-add off", "-p", "\(id)", "-ex",
        "set dump-excluded-mappings \(all ? "on" : "off")", "-ex", "gcore \(file.path(percentEncoded: false))", "-ex",
        "detach",
      ])
      let core = try Data(contentsOf: file, options: .alwaysMapped)
      // What does not contain the program's own words was not written whole.
      try #require(Self.count(Array("signed-out\0".utf8), in: core) + Self.count(Array("lent\0".utf8), in: core) > 0)
      return core
    }

    /// Which of the secrets are in it, in which form.
    func found(in core: Data) -> [String] { needles.filter { Self.count($0.bytes, in: core) > 0 }.map(\.name) }

    /// As bytes, hexadecimal and base64 at each of its three places. A freed block loses its first 16 bytes: the tails.
    private static func forms(_ name: String, of secret: [UInt8]) -> [(String, [UInt8])] {
      let tail = Array(secret.suffix(15))
      let base64 = (0..<3).map { skipped in
        let text = Data([UInt8](repeating: 0, count: skipped) + tail).base64EncodedString()
        return ("\(name), base64 \(skipped)", Array(text.utf8.dropFirst(4).prefix(14)))
      }
      return [
        ("\(name), bytes", Array(tail.suffix(14))), ("\(name), hexadecimal", Array(Hexadecimal.encode(tail).utf8)),
        ("\(name), HEXADECIMAL", Array(Hexadecimal.encode(tail).uppercased().utf8)),
      ] + base64
    }

    private static func count(_ needle: [UInt8], in core: Data) -> Int {
      core.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        return find(start, count: bytes.count, needle: needle, needleCount: needle.count) == nil ? 0 : 1
      }
    }
  }
}

/// `memmem(3)`, which glibc's header hides from Swift.
@_silgen_name("memmem")
private func find(
  _ start: UnsafeRawPointer, count: Int, needle: UnsafeRawPointer, needleCount: Int
) -> UnsafeRawPointer?
