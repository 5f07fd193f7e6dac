import Foundation
import Glibc

/// A PostgreSQL server beside the tests: a new cluster in a temporary folder, reached only through a Unix socket in it.
///
/// It ends with this process, however that ends: a shell reads from a pipe whose only writing end is here, and at the
/// pipe's end stops the server and deletes the folder. What a killed shell leaves is deleted by the next start of a
/// server (``ServerFolder``).
public final class PostgresServer: Sendable {
  /// The superuser, who needs no password.
  public static let user = "onside"
  /// A user who has no right to connect without a password.
  public static let lockedUser = "locked"

  /// The folder of the socket.
  public var socketFolder: String { folder + "/socket" }
  private let place: ServerFolder
  private var folder: String { place.path }
  private let life: FileHandle

  /// Starts a server, and returns when it accepts connections.
  ///
  /// - Parameters:
  ///   - flushes: whether commits are flushed to the disk; otherwise the server's folder is in memory if it has room.
  ///   - configuration: lines for `postgresql.conf`.
  ///   - timeline: 1, or more for a server that is to look like a standby that was promoted.
  public init(flushes: Bool = true, configuration: String = "", timeline: UInt32 = 1) async throws {
    place = try ServerFolder(in: flushes ? ServerFolder.disk : ServerFolder.memory)
    let pipe = Pipe()
    for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    life = pipe.fileHandleForWriting
    let lines = ["listen_addresses = ''", "fsync = \(flushes ? "on" : "off")", configuration]
    let arguments = [place.path, lines.joined(separator: "\n"), "\(timeline)"] + PostgresProgram.user
    let shell = try spawn(
      "/bin/sh", arguments: ["-c", Self.script, "onside-postgres"] + arguments,
      environment: PostgresProgram.environment,
      files: [.open(pipe.fileHandleForReading.fileDescriptor), .null, .null, .open(place.lock)])
    try pipe.fileHandleForReading.close()
    // A thread of its own: waiting must not take one from the tests.
    Thread.detachNewThread { while waitpid(shell, nil, 0) == -1, errno == EINTR {} }
    try await waitUntilReady()
    try await PostgresProgram("createuser").run(["-h", socketFolder, "-U", Self.user, Self.lockedUser])
  }

  deinit { try? life.close() }

  /// The address of a database.
  public func url(_ database: String, user: String = PostgresServer.user) -> String {
    "postgres://\(user)@\(socketFolder.replacing("/", with: "%2F"))/\(database)"
  }

  /// Makes a database, empty or as a copy of another one, to which nothing may be connected. Returns its name. The
  /// files are copied: PostgreSQL's default strategy, through its log, takes twice the processor time.
  public func makeDatabase(from template: String = "template0") async throws -> String {
    let name = "t" + UUID().uuidString.lowercased().replacing("-", with: "")
    try await PostgresProgram("createdb").run(
      ["-h", socketFolder, "-U", Self.user, "--strategy", "file_copy", "-T", template, name])
    return name
  }

  /// Deletes a database, and ends the connections to it.
  public func removeDatabase(_ name: String) async throws {
    try await PostgresProgram("dropdb").run(["-h", socketFolder, "-U", Self.user, "--force", name])
  }

  /// Makes a database that is removed when its last reference is released.
  public func makeTemporaryDatabase(from template: String = "template0") async throws -> TemporaryPostgresDatabase {
    TemporaryPostgresDatabase(try await makeDatabase(from: template), on: self)
  }

  private func waitUntilReady() async throws {
    let deadline = NamedDeadline("a PostgreSQL server in \(folder)")
    while try await !acceptsConnections() {
      guard !FileManager.default.fileExists(atPath: folder + "/failed") else {
        throw PostgresProgram.Failure(
          description: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "")
      }
      try await deadline.next(in: .milliseconds(50))
    }
  }

  /// Runs `pg_isready` once the server has its socket.
  private func acceptsConnections() async throws -> Bool {
    guard FileManager.default.fileExists(atPath: socketFolder + "/.s.PGSQL.5432") else { return false }
    do { try await PostgresProgram("pg_isready").run(["-q", "-h", socketFolder]) } catch is PostgresProgram.Failure {
      return false
    }
    return true
  }

  /// Arguments: the folder, the configuration, the timeline, and what comes before a program to run it as the server's
  /// user. Texts are ordered by a language's rules, so that a query that needs another order has to say so.
  private static let script = """
    folder=$1; configuration=$2; timeline=$3; shift 3
    umask 077
    mkdir "$folder/socket"
    if [ "$(id -u)" = 0 ]; then chown postgres "$folder" "$folder/socket"; fi
    exec >"$folder/log" 2>&1
    data=$folder/data
    "$@" initdb --no-sync -D "$data" -U \(user) -A trust -E UTF8 --locale=C.UTF-8 \
      --locale-provider=icu --icu-locale=en &&
      "$@" pg_resetwal -l "$(printf %08X "$timeline")0000000000000010" -D "$data" &&
      printf '%s\\n' "unix_socket_directories = '$folder/socket'" "$configuration" >>"$data/postgresql.conf" &&
      printf '%s\\n' 'local all \(lockedUser) scram-sha-256' 'local all all trust' >"$data/pg_hba.conf" ||
      touch "$folder/failed"
    { "$@" postgres -D "$data" || touch "$folder/failed"; } &
    read -r _
    until [ -e "$folder/failed" ] || kill -QUIT "$(head -n 1 "$data/postmaster.pid")"; do sleep 0.1; done
    wait
    rm -rf "$folder"
    """
}
