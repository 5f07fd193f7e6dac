extension SandboxClockSetting {
  /// Sets the clock back to the machine's time. Only while there are no orders: they would lie in the future.
  public func reset() async throws {
    try await dependencies.database.write { connection in
      guard try OrderRecords.isEmpty(in: connection) else { throw SandboxClockError.ordersExist }
      try StoreSettings(connection: connection).set(Self.name, to: "0")
    }
    dependencies.clock.setOffset(milliseconds: 0)
  }
}
