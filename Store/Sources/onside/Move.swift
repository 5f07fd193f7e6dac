import StoreBase

#if canImport(PostgresClient)
  import ArgumentParser
  import Foundation
  import OnsideStore

  /// Moves the store to PostgreSQL.
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Moves the store from its SQLite file to an empty PostgreSQL database, with the store stopped.",
      discussion: """
        Every row is copied, read again and compared, and the books of both databases have to agree. Until the last \
        step the file stays as it is, and the PostgreSQL database stays empty. A move that was cut short is run again \
        with the same address. Afterwards no program opens the file any more. A move that has not taken place may be \
        abandoned: then the file is served again.

        A password on the command line is shown to other users of this machine: leave it out of the address, and give \
        it in the variable PGPASSWORD or in ~/.pgpass.
        """)

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("The PostgreSQL database: postgres://USER@HOST:PORT/DATABASE.", valueName: "url"))
    var to: String
    @Flag(help: "Copy and check everything, also while the store serves, and leave both databases as they were.")
    var rehearse = false
    @Flag(help: "Take the mark of a move back from the file, if the database at the address does not have its data.")
    var abandon = false
    @Flag(help: "With --abandon: do not ask the database, which is gone for good. What was sold in it is lost.")
    var targetIsLost = false

    func validate() throws {
      if rehearse, abandon { throw ValidationError("expected --rehearse or --abandon, but got both.") }
      if targetIsLost, !abandon { throw ValidationError("expected --abandon with --target-is-lost, but got it alone.") }
    }

    func run() async throws {
      let configuration = try options.read()
      let path = try options.existingFile(configuration)
      guard case .postgres(let url) = DatabaseLocation(to) else {
        throw CommandFailure("expected --to postgres://USER@HOST:PORT/DATABASE, but got another text.")
      }
      let move = StoreMove(from: path, to: url) { step in
        if case .copied(let table, let rows) = step, rows > 0 { print("\(table): \(rows) rows") }
      }
      guard !abandon else {
        try move.abandon(targetIsLost: targetIsLost)
        return print("The mark of the move is taken back: \(path) may be served again.")
      }
      let now = SystemClock().now()
      show(rehearse ? try move.rehearse(now: now) : try move.run(now: now), path: path)
      if !rehearse { print(next(guardFile: configuration.vaultGuard)) }
    }

    private func show(_ outcome: StoreMove.Outcome, path: String) {
      if !outcome.faults.isEmpty {
        print("The books have the same faults in both: \(outcome.faults.joined(separator: "; "))")
      }
      guard let rows = outcome.rows else { return print("\(path) has been moved to \(outcome.target).") }
      let sum = "\(rows.values.reduce(0, +)) rows in \(rows.count) tables, compared; the books agree."
      guard !rehearse else {
        return print(
          """
          Rehearsed: \(sum)
          \(outcome.target) is empty as before, and \(path) is not marked. What a running store sells from now on is \
          in \(path) alone: stop it, and run the command without --rehearse.
          """)
      }
      print("\(path) was moved to \(outcome.target): \(sum)")
    }

    private func next(guardFile: String) -> String {
      """
      Next:
        1. Set database to the address of the PostgreSQL database, and vault.guard to \(guardFile).
        2. Start the store, and run onside resume-charges: until then renewals, refunds and messages wait.
        3. Run onside doctor.
        4. The old file is not opened any more. It holds accounts and keys: remove it when it is not needed.
      """
    }
  }
#endif
