public import Foundation
import Glibc

/// A PostgreSQL server whose log pgBackRest archives: it can be put back to a point in time, as docs/operating.md says.
///
/// It ends with this process, however that ends, as ``PostgresServer`` does.
public final class ArchivedPostgresServer: Sendable {
  /// Whether Debian's package `pgbackrest` is installed.
  public static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/pgbackrest") }

  private let place: ServerFolder
  private var folder: String { place.path }
  private let life: FileHandle

  /// Makes a server with one empty database, `store`, and the archive.
  public init() async throws {
    place = try ServerFolder()
    let pipe = Pipe()
    for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    life = pipe.fileHandleForWriting
    let keeper = try spawn(
      "/bin/sh", arguments: ["-c", Self.keeper, "onside-archive", place.path] + PostgresProgram.user,
      environment: PostgresProgram.environment,
      files: [.open(pipe.fileHandleForReading.fileDescriptor), .null, .null, .open(place.lock)])
    try pipe.fileHandleForReading.close()
    Thread.detachNewThread { while waitpid(keeper, nil, 0) == -1, errno == EINTR {} }
    try await PostgresProgram("sh").run(
      ["-c", Self.make, "onside-archive", folder] + PostgresProgram.user, holding: place)
  }

  deinit { try? life.close() }

  /// The address of its database.
  public var url: String { "postgres://\(PostgresServer.user)@\(folder.replacing("/", with: "%2F"))/store" }

  /// Takes a full backup.
  public func backUp() async throws { try await run(["pgbackrest"] + options + ["backup"]) }

  /// Stops the server, puts it back to a time of its own clock, and starts it. Nothing may be connected.
  public func restore(to time: Date) async throws {
    let data = folder + "/data"
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, includingFractionalSeconds: true, timeZone: .gmt)
    let target = time.formatted(style).replacing("Z", with: "+00")
    try await run(["pg_ctl", "-D", data, "-m", "fast", "-w", "stop"])
    try await run(
      ["pgbackrest"] + options
        + ["--delta", "--type=time", "--target=\(target)", "--target-action=promote", "restore"])
    try await run(["pg_ctl", "-D", data, "-l", folder + "/log", "-w", "start"])
    try await untilPromoted()
  }

  private var options: [String] { ["--config=\(folder)/pgbackrest.conf", "--stanza=store"] }

  /// Runs a program as the server's user.
  private func run(_ words: [String]) async throws {
    try await PostgresProgram("env").run(PostgresProgram.user + words, holding: place)
  }

  private func untilPromoted() async throws {
    let deadline = NamedDeadline("a server that has reached its point in time")
    let query = "DO 'BEGIN IF pg_is_in_recovery() THEN RAISE EXCEPTION ''in recovery''; END IF; END'"
    while true {
      do {
        return try await PostgresProgram("psql").run(
          ["-X", "-h", folder, "-U", PostgresServer.user, "-d", "store", "-v", "ON_ERROR_STOP=1", "-c", query])
      } catch is PostgresProgram.Failure { try await deadline.next(in: .milliseconds(100)) }
    }
  }

  /// Stops the server and deletes the folder at the end of its input. Arguments: the folder, and what comes before a
  /// program to run it as the server's user.
  private static let keeper = """
    folder=$1; shift
    read -r _
    "$@" pg_ctl -D "$folder/data" -m immediate stop
    rm -rf "$folder"
    """

  private static let make = """
    set -e
    folder=$1; shift
    if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
    cat >"$folder/pgbackrest.conf" <<END
    [global]
    repo1-path=$folder/repository
    repo1-retention-full=2
    lock-path=$folder/lock
    log-path=$folder/log-of-backups
    log-level-file=off
    start-fast=y
    [store]
    pg1-path=$folder/data
    pg1-socket-path=$folder
    pg1-user=\(PostgresServer.user)
    END
    chmod 644 "$folder/pgbackrest.conf"
    "$@" initdb --no-sync -D "$folder/data" -U \(PostgresServer.user) -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
    cat >>"$folder/data/postgresql.conf" <<END
    listen_addresses = ''
    unix_socket_directories = '$folder'
    archive_mode = on
    archive_command = 'pgbackrest --config=$folder/pgbackrest.conf --stanza=store archive-push %p'
    END
    "$@" pg_ctl -D "$folder/data" -l "$folder/log" -w start >/dev/null
    createdb -h "$folder" -U \(PostgresServer.user) -T template0 store
    "$@" pgbackrest --config="$folder/pgbackrest.conf" --stanza=store stanza-create
    """
}
