import Foundation
import Testing

@Suite("A full disk", .timeLimit(.minutes(5)))
struct FullDiskTests {
  /// tmpfs takes a part of what is written and says nothing of the rest.
  @Test(
    "WAL-7 A PIN change that finds the disk full leaves the old PIN, and works when there is room",
    .enabled(if: geteuid() == 0, "only root may mount a small disk"))
  func change() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "full-\(UUID().uuidString)")
    let disk = folder.appending(path: "disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = """
      d="$2/disk"; wallet() { "$program" "$d" "$@"; }; program=$1
      mount -t tmpfs -o size=28k none "$d" || exit 1
      wallet sign-up 908172
      head -c 100000 /dev/zero >"$d/fill"
      wallet change 908172 271809
      wallet sign-in 908172; wallet sign-in 271809
      rm "$d/fill"
      wallet change 908172 271809; wallet sign-in 271809; wallet sign-in 908172
      """
    let outcomes = try WalletProcess(folder: folder, vault: nil)
      .run(under: ["unshare", "-m", "sh", "-c", script, "sh"])
    #expect(outcomes == "ok\nstorage\nok\ninvalidPin\nok\nok\ninvalidPin")
  }
}
