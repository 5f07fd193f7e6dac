public import Foundation
public import OnsideAPI
public import OnsideVault
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The vault of a store, over HTTP. Requests are retried when no answer arrives, except a try, since it may have been
/// counted.
public final class StoreVault: Vault {
  private let store: URL
  private let now: @Sendable () -> Date
  private let deadline: TimeInterval
  /// How far the vault's clock is ahead of this device's, in milliseconds; 0 until the vault has sent its time.
  private let ahead = Mutex<Int64>(0)
  private static let attempts = 3
  /// Milliseconds until the end of the year 9999.
  private static let times: Range<Int64> = 0..<253_402_300_800_000
  private static let answerLimit = 65_536

  /// - Parameters:
  ///   - store: the store's address: `https`, or `http` on this machine.
  ///   - now: this device's clock.
  ///   - deadline: how long one exchange may take, in seconds.
  /// - Throws: ``WalletError/Kind/vaultMissing`` for an address that is neither `https` nor on this machine.
  public init(
    store: URL, now: @escaping @Sendable () -> Date = { Date() }, deadline: TimeInterval = 15
  ) throws(WalletError) {
    guard store.isSecureWebAddress else {
      throw WalletError(
        .vaultMissing, explanation: "expected the vault at an https address, or on this machine; got \(store)")
    }
    self.store = store
    self.now = now
    self.deadline = deadline
  }

  /// Makes an enrolment, or finds the one that is there; retried when no answer arrives.
  public func enrol(
    _ enrolment: VaultEnrolmentID, replacing old: VaultEnrolmentID?, by device: VaultDeviceKey
  ) throws -> VaultMessage {
    try again {
      try call(
        .vaultEnrol, enrolment: nil, body: VaultEnrolRequest(enrolment: enrolment, replaces: old), device: device)
    }
  }

  /// The state of an enrolment; retried when no answer arrives.
  public func state(of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try again { try call(.vaultState, enrolment: enrolment, body: Optional<Bool>.none, device: device) }
  }

  /// One try, which the store counts before it answers; never retried.
  public func evaluate(
    _ blinded: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey
  ) throws -> VaultEvaluationMessage {
    try call(
      .vaultEvaluate, enrolment: enrolment, body: VaultEvaluateRequest(blinded: WireBytes(blinded)), device: device)
  }

  /// Sends the hash of the unlock tag; retried when no answer arrives.
  public func seal(_ tagHash: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage
  {
    try again {
      try call(.vaultSeal, enrolment: enrolment, body: VaultSealRequest(tagHash: WireBytes(tagHash)), device: device)
    }
  }

  /// Proves that the wallet was opened, which resets the count; retried when no answer arrives.
  public func confirm(
    _ unlockTag: [UInt8], of enrolment: VaultEnrolmentID, by device: VaultDeviceKey
  ) throws -> VaultMessage {
    try again {
      try call(
        .vaultConfirm, enrolment: enrolment, body: VaultConfirmRequest(unlockTag: WireBytes(unlockTag)), device: device)
    }
  }

  /// Deletes the vault's half of the key for good; retried when no answer arrives.
  public func destroy(_ enrolment: VaultEnrolmentID, by device: VaultDeviceKey) throws -> VaultMessage {
    try again { try call(.vaultDestroy, enrolment: enrolment, body: Optional<Bool>.none, device: device) }
  }

  private func again<Answer>(_ body: () throws -> Answer) throws -> Answer {
    for attempt in 1..<Self.attempts {
      do {
        return try body()
      } catch let error as WalletError where error.kind == .vaultUnreachable {
        Thread.sleep(forTimeInterval: 0.1 * Double(attempt))
      }
    }
    return try body()
  }

  /// One exchange; a second one when the vault says that this device's clock is off, or has seen the nonce.
  private func call<Answer: Decodable>(
    _ route: Route, enrolment: VaultEnrolmentID?, body: (some Encodable)?, device: VaultDeviceKey
  ) throws -> Answer {
    let path = enrolment.map { route.path($0.description) } ?? route.path
    let bytes = try body.map { Array(try WireCoding.encoder().encode($0)) } ?? []
    let request = VaultRequest(route.method, path, body: bytes)
    var (status, answer) = try send(request, device: device)
    if let problem = problem(status, answer: answer), [.vaultClock, .vaultReplayed].contains(problem.code) {
      if let time = problem.serverTime, Self.times.contains(time) { ahead.withLock { $0 = time - milliseconds } }
      (status, answer) = try send(request, device: device)
    }
    guard (200..<300).contains(status) else { throw refusal(status, answer: answer) }
    do {
      return try WireCoding.decoder().decode(Answer.self, from: answer)
    } catch {
      throw WalletError.vaultFault("another message than was asked for")
    }
  }

  private func send(_ request: VaultRequest, device: VaultDeviceKey) throws -> (Int, Data) {
    let base = store.absoluteString
    guard let address = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + request.path) else {
      throw WalletError.vaultFault("an address that is none")
    }
    var call = URLRequest(url: address)
    call.httpMethod = request.method.rawValue
    let time = milliseconds + ahead.withLock { $0 }
    call.setValue(device.sign(request, time: time), forHTTPHeaderField: WireHeader.vaultSignature)
    if request.method == .post {
      call.setValue("application/json", forHTTPHeaderField: "Content-Type")
      call.httpBody = Data(request.body)
    }
    do throws(BlockingExchange.Failure) {
      return try BlockingExchange.run(call, deadline: deadline, limit: Self.answerLimit)
    } catch {
      switch error {
      case .none(let why): throw WalletError.vaultUnreachable(why)
      case .tooLong: throw WalletError.vaultFault(error.description)
      }
    }
  }

  private var milliseconds: Int64 { Int64(now().timeIntervalSince1970 * 1000) }

  private func problem(_ status: Int, answer: Data) -> ProblemDetails? {
    (200..<300).contains(status) ? nil : try? WireCoding.decoder().decode(ProblemDetails.self, from: answer)
  }

  private func refusal(_ status: Int, answer: Data) -> WalletError {
    if let problem = problem(status, answer: answer) {
      if status >= 500 { return .vaultUnreachable("\(problem.code)") }
      // The first delivery was this same request, and its outcome is not known.
      if problem.code == .vaultReplayed { return .vaultUnreachable("the network delivers requests twice") }
      return WalletError(refusal: problem.code, record: problem.vault, detail: problem.detail ?? problem.title)
    }
    return status >= 500 ? .vaultUnreachable("status \(status)") : .vaultFault("status \(status)")
  }
}
