import Foundation

/// The answer to a POST, under its idempotency key.
struct KeptAnswer: Sendable {
  /// How long it is kept, in seconds.
  static let lifetime = 24.0 * 60 * 60

  let fingerprint: String
  let requestID: String
  let since: Date
  /// Nil while the request is being executed.
  var answer: StripeAnswer?
}

/// A limit of requests per second.
struct RateLimit: Sendable {
  let perSecond: Int
  let retryAfter: Int
  private var second: Int64 = 0
  private var count = 0

  init(perSecond: Int, retryAfter: Int) {
    self.perSecond = perSecond
    self.retryAfter = retryAfter
  }

  mutating func admits(at now: Date) -> Bool {
    if now.stripeTime != second { (second, count) = (now.stripeTime, 0) }
    count += 1
    return count <= perSecond
  }
}

/// What the beginning of a request comes to.
enum Beginning: Sendable {
  /// It has its answer without being executed.
  case answered(StripeAnswer)
  case execute(requestID: String)
}

extension StripeState {
  /// Checks a request's key and limits, and takes its idempotency key.
  mutating func begin(_ request: StripeRequest, at now: Date) -> Beginning {
    self.now = now
    let requestID = id("req")
    do throws(Refusal) {
      try authenticate(request)
      if rate?.admits(at: now) == false { throw tooMany }
      if let kept = try kept(request) { return .answered(kept) }
    } catch {
      return .answered(labelled(StripeAnswer(error), requestID: requestID, of: request))
    }
    if let key = request.idempotencyKey, request.isPost {
      keptAnswers[key] = KeptAnswer(fingerprint: request.fingerprint, requestID: requestID, since: now)
    }
    return .execute(requestID: requestID)
  }

  /// Does what a request asks.
  mutating func execute(_ request: StripeRequest, requestID: String, at now: Date) -> StripeAnswer {
    self.now = now
    self.request = (requestID, request.idempotencyKey)
    defer { self.request = nil }
    let answer: StripeAnswer
    var isKept = true
    do throws(Refusal) {
      answer = StripeAnswer(try respond(to: request))
    } catch {
      answer = StripeAnswer(error)
      isKept = error.isKept
    }
    return finish(labelled(answer, requestID: requestID, of: request), of: request, isKept: isKept)
  }

  /// Keeps an answer, or gives the idempotency key free.
  mutating func finish(_ answer: StripeAnswer, of request: StripeRequest, isKept: Bool) -> StripeAnswer {
    guard let key = request.idempotencyKey, request.isPost else { return answer }
    if isKept { keptAnswers[key]?.answer = answer } else { keptAnswers[key] = nil }
    return answer
  }

  /// An answer with the headers that all answers have.
  func labelled(_ answer: StripeAnswer, requestID: String, of request: StripeRequest) -> StripeAnswer {
    var answer = answer
    answer.headers["Request-Id"] = requestID
    answer.headers["Stripe-Version"] = request.version ?? Self.version
    if request.isPost, let key = request.idempotencyKey { answer.headers["Idempotency-Key"] = key }
    if answer.status >= 500 { answer.headers["Stripe-Should-Retry"] = "false" }
    if answer.status == 429, let rate { answer.headers["Retry-After"] = String(rate.retryAfter) }
    return answer
  }

  private var tooMany: Refusal {
    Refusal(status: 429, code: "rate_limit", message: "Request rate limit exceeded.")
  }

  /// The kept answer to an earlier request with the same idempotency key; nil when it is new.
  private mutating func kept(_ request: StripeRequest) throws(Refusal) -> StripeAnswer? {
    guard let key = request.idempotencyKey, request.isPost else { return nil }
    guard (1...255).contains(key.count) else {
      throw .invalid("Expected an Idempotency-Key of 1 to 255 characters.")
    }
    guard let kept = keptAnswers[key] else { return nil }
    if kept.answer != nil, now.timeIntervalSince(kept.since) >= KeptAnswer.lifetime {
      keptAnswers[key] = nil
      return nil
    }
    guard kept.fingerprint == request.fingerprint else {
      throw Refusal(
        type: "idempotency_error",
        message: "Keys for idempotent requests can only be used with the same parameters they were first used with.")
    }
    guard var answer = kept.answer else {
      throw Refusal(
        status: 409, type: "idempotency_error", code: "idempotency_key_in_use",
        message: "There is currently another in-progress request using this Idempotency-Key.")
    }
    answer.headers["Idempotent-Replayed"] = "true"
    answer.headers["Original-Request"] = kept.requestID
    return answer
  }

  private func authenticate(_ request: StripeRequest) throws(Refusal) {
    guard let key = request.apiKey else { throw .unauthorized("You did not provide an API key.") }
    if key == secretKey { return }
    if let forbidden = restrictedKeys[key] {
      guard let collection = request.path.first, forbidden.contains(collection) else { return }
      throw Refusal(
        status: 403,
        message: "The provided key '\(key.prefix(8))***' does not have the required permissions for this endpoint on "
          + "account '\(accountID)'.")
    }
    guard key == publishableKey else { throw .unauthorized("Invalid API Key provided.") }
    guard request.isForPages else {
      throw Refusal(
        status: 403, code: "secret_key_required", message: "This API call cannot be made with a publishable API key.")
    }
  }
}

extension StripeRequest {
  /// The key in the header, as a bearer or as the user of Basic, or in the form of a page's request.
  var apiKey: String? {
    if let authorization {
      let parts = authorization.split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      if parts[0] == "Bearer" { return String(parts[1]) }
      guard parts[0] == "Basic", let data = Data(base64Encoded: String(parts[1])) else { return nil }
      return String(decoding: data, as: UTF8.self).split(separator: ":").first.map(String.init)
    }
    guard case .text(let key) = form.members["key"] else { return nil }
    return key
  }

  /// Whether a page may make the request: it holds the object's client secret.
  var isForPages: Bool {
    if path == ["payment_methods"] { return isPost }
    guard path.count >= 2, ["payment_intents", "setup_intents"].contains(path[0]) else { return false }
    guard path.count == 2 && !isPost || path.count == 3 && path[2] == "confirm" else { return false }
    if case .text = form.members["client_secret"] { return true }
    return false
  }
}
