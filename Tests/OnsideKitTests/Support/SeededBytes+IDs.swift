import DeterministicRandom

extension SeededBytes {
  /// Bytes for ids. One source serves all queues of the process, so that ids never repeat after a restart.
  static let ids = SeededBytes(seed: 1)
}
