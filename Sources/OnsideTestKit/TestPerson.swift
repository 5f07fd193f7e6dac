package import OnsideAPI
import OnsideCommerce
import OnsideKit
import Synchronization

/// Who sits before the screens. No screen is ever shown: the person answers at once, as they were told.
public final class TestPerson: Sendable {
  /// What they do when they are asked to log in.
  public enum Login: Hashable, Sendable {
    /// They log in. Any name is an account of its own.
    case logIn(as: String)
    /// They close the screen.
    case dismiss
    /// They leave the screen open.
    case wait
  }

  /// What they do on a payment screen.
  public enum Payment: Hashable, Sendable {
    /// They pay.
    case pay
    /// Their card is declined, and they give up.
    case decline
    /// They cancel, or close the screen.
    case cancel
    /// They leave the screen open.
    case wait
  }

  /// What they do on the screen for codes.
  public enum Redemption: Hashable, Sendable {
    /// They enter a code: the name of an offer of codes. What they do next is what they do on a payment screen.
    case enter(String)
    /// They close the screen.
    case dismiss
  }

  private struct Script {
    var login = Login.logIn(as: LocalStore.defaultAccount)
    var payment = Payment.pay
    var redemption = Redemption.dismiss
    var nextLogins: [Login] = []
    var nextPayments: [Payment] = []
    var nextRedemptions: [Redemption] = []
  }
  private let script = Mutex(Script())
  let story: Story
  let clock: TestClock

  init(story: Story, clock: TestClock) {
    self.story = story
    self.clock = clock
  }

  /// What they do on every login screen for which nothing else was said; they log in as "Tester" unless told.
  public var login: Login {
    get { script.withLock { $0.login } }
    set { script.withLock { $0.login = newValue } }
  }

  /// What they do on every payment screen for which nothing else was said; they pay unless told.
  public var payment: Payment {
    get { script.withLock { $0.payment } }
    set { script.withLock { $0.payment = newValue } }
  }

  /// What they do on every screen for codes for which nothing else was said; they close it unless told.
  public var redemption: Redemption {
    get { script.withLock { $0.redemption } }
    set { script.withLock { $0.redemption = newValue } }
  }

  /// What they do on the next login screens, one after the other.
  public func nextLogin(_ acts: Login...) { script.withLock { $0.nextLogins += acts } }

  /// What they do on the next payment screens, one after the other.
  public func nextPayment(_ acts: Payment...) { script.withLock { $0.nextPayments += acts } }

  /// What they do on the next screens for codes, one after the other.
  public func nextRedemption(_ acts: Redemption...) { script.withLock { $0.nextRedemptions += acts } }
}

extension TestPerson: LocalPerson {
  package func logsIn(suggesting name: String) async -> String? {
    let act = script.withLock { $0.nextLogins.isEmpty ? $0.login : $0.nextLogins.removeFirst() }
    switch act {
    case .logIn(let name):
      story.add(.person, of: nil, device: nil, detail: "logs in as \(name)", at: clock.now)
      return name
    case .dismiss:
      story.add(.person, of: nil, device: nil, detail: "closes the login screen", at: clock.now)
      return nil
    case .wait:
      await leaveOpen()
      return nil
    }
  }

  package func pays(for order: OrderMessage) async -> Bool {
    let act = script.withLock { $0.nextPayments.isEmpty ? $0.payment : $0.nextPayments.removeFirst() }
    let words =
      switch act {
      case .pay: "pays \(order.price.money)"
      case .decline: "has a card that is declined, and gives up"
      case .cancel: "cancels"
      case .wait: "leaves the screen open"
      }
    story.add(.person, of: order.id.uuid, device: nil, detail: words, at: clock.now)
    if act == .wait { await leaveOpen() }
    return act == .pay
  }

  package func entersCode() async -> String? {
    switch script.withLock({ $0.nextRedemptions.isEmpty ? $0.redemption : $0.nextRedemptions.removeFirst() }) {
    case .enter(let code):
      story.add(.person, of: nil, device: nil, detail: "enters the code \(code)", at: clock.now)
      return code
    case .dismiss:
      story.add(.person, of: nil, device: nil, detail: "closes the screen for codes", at: clock.now)
      return nil
    }
  }

  package func reads(_ problem: String) {
    story.add(.person, of: nil, device: nil, detail: "reads: \(problem)", at: clock.now)
  }

  /// Until the screen is closed for them.
  private func leaveOpen() async {
    CallBook.current?.rest(true)
    for await _ in AsyncStream<Void>.makeStream().stream {}
    CallBook.current?.rest(false)
  }
}
