import OnsideAPI

extension ProblemExplanation {
  static let vault: [ProblemExplanation] = [
    ProblemExplanation(
      code: .vaultClock, status: 409,
      title: "The clocks are too far apart",
      meaning: "The time in the signed request is more than five minutes from the vault's. Nothing was counted.",
      remedy: "Sign the request again with the time of `server_time`, and correct the device's clock."),
    ProblemExplanation(
      code: .vaultReplayed, status: 409,
      title: "The request came before",
      meaning: "This signed request came before, or is older than those that the vault remembers. Nothing was counted.",
      remedy: "Sign a new request, with a fresh nonce."),
    ProblemExplanation(
      code: .vaultWait, status: 429,
      title: "Too many wrong PINs",
      meaning:
        "There were too many tries without a right PIN; the next one is not allowed yet. This one was not counted.",
      remedy: "Wait as many seconds as `Retry-After` says. `vault` says how many tries are left."),
    ProblemExplanation(
      code: .vaultDestroyed, status: 410,
      title: "The key is deleted",
      meaning: "The key of this enrolment is deleted, after ten tries or because the wallet asked for it.",
      remedy: "Recover the wallet by its words, and enrol anew. The key cannot be restored."),
    ProblemExplanation(
      code: .vaultReplaced, status: 410,
      title: "The PIN was changed",
      meaning: "The PIN was changed; the key of the old one is deleted.",
      remedy: "Use the enrolment that took the place of this one."),
    ProblemExplanation(
      code: .vaultNotCurrent, status: 409,
      title: "The enrolment is in another state",
      meaning: "The enrolment is in another state than this request asks for; `vault` says which.",
      remedy: "Seal before you confirm, and open with the old PIN until the change to the new one is confirmed."),
    ProblemExplanation(
      code: .vaultTagMismatch, status: 403,
      title: "The unlock tag is another one",
      meaning: "The unlock tag is not the one that the enrolment was sealed with.",
      remedy: "Send the tag that opening the wallet gave. A wrong PIN gives none."),
    ProblemExplanation(
      code: .vaultElementInvalid, status: 422,
      title: "Not an element of ristretto255",
      meaning: "The blinded element is no element of ristretto255, or it is the identity. Nothing was counted.",
      remedy: "Send the 32 bytes of an element, as RFC 9497 encodes it."),
  ]
}
