import Synchronization

/// Two years of one account's subscription from a seed: the rules of ``OnsideCommerce``, a store that dies, sleeps and
/// repeats itself, a payment provider whose answers are late or get lost, a person who changes their mind, and devices
/// that are offline or have a wrong clock.
public struct BillingSimulation: Sendable {
  /// The seed that everything comes from.
  public var seed: UInt64
  /// A rule that is broken on purpose.
  public var brokenRule: BrokenBillingRule?
  /// Whether to write down what happens.
  public var isTracing: Bool

  /// A run to be made.
  public init(seed: UInt64, brokenRule: BrokenBillingRule? = nil, isTracing: Bool = false) {
    self.seed = seed
    self.brokenRule = brokenRule
    self.isTracing = isTracing
  }

  /// Makes the run, from beginning to end.
  public func run() -> Simulation.Outcome {
    var world = BillingWorld(seed: seed, brokenRule: brokenRule, isTracing: isTracing)
    world.live()
    return Simulation.Outcome(seed: seed, violation: world.violation, steps: world.steps, trace: world.lines)
  }
}

/// A rule of billing or of entitlements that a simulation breaks, to show that it would be found.
public enum BrokenBillingRule: String, CaseIterable, Sendable {
  /// SUB-1: a charge is asked for under one key, however often. Broken: a store that was started again has another key.
  case oneKeyForEachCharge = "one-key-for-each-charge"
  /// SUB-1: a period begins when its money is there. Broken: it begins when the provider has taken the charge.
  case moneyFirst = "money-first"
  /// SUB-1: money that comes for nothing goes back. Broken: it stays.
  case lateMoneyGoesBack = "late-money-goes-back"
  /// SUB-5: the unused part of a plan goes back when another one takes its place. Broken: it stays.
  case unusedPartGoesBack = "unused-part-goes-back"
  /// SUB-1: a period whose money went back is over. Broken: it goes on.
  case refundEndsAccess = "refund-ends-access"
  /// SUB-8: a price that needs consent is not charged without it. Broken: it is.
  case consentIsNeeded = "consent-is-needed"
  /// ENT-4: a clock that is set back gains nothing. Broken: the device believes its clock.
  case clockGoesForward = "clock-goes-forward"
  /// ENT-5: devices hear of what ends early. Broken: they ask for the list only when it tells them to.
  case devicesHearOfEnds = "devices-hear-of-ends"
}
