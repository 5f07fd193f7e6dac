import OnsideCommerce
import OnsideKit

/// What the program says on its own pages, in the six languages of the store's.
struct StoreAppTexts: Hashable {
  /// The language's tag, BCP 47.
  let language: String
  let account: String
  let answered: (heading: String, lead: String)
  let noApp: (heading: String, lead: String)
  let refused: (heading: String, lead: String)
  let reasons: Reasons

  /// Why a link is not followed; `{}` in the last one is the store that it is for.
  struct Reasons: Hashable {
    let tooLong: String
    let unknown: String
    let incomplete: String
    let forbiddenRedirect: String
    let otherStore: String
  }

  /// Which way its text runs, for the `dir` attribute.
  var direction: String { language == "ar" ? "rtl" : "ltr" }

  /// Why a link is not followed.
  func reason(of problem: LinkProblem) -> String {
    switch problem {
    case .tooLong: reasons.tooLong
    case .unknown: reasons.unknown
    case .incomplete: reasons.incomplete
    case .forbiddenRedirect: reasons.forbiddenRedirect
    }
  }

  /// The first of the user's languages that there is; else English.
  static func best(of languages: [String]) -> StoreAppTexts {
    let wanted = languages.map { LanguageTag($0).language }
    return wanted.lazy.compactMap { language in all.first { $0.language == language } }.first ?? english
  }

  static let all = [english, german, french, dutch, spanish, arabic]

  static func == (left: Self, right: Self) -> Bool { left.language == right.language }
  func hash(into hasher: inout Hasher) { hasher.combine(language) }
}

/// The table; `{}` is the app.
extension StoreAppTexts {
  static let english = StoreAppTexts(
    language: "en", account: "Your account",
    answered: ("Go back to the app", "{} has its answer. You can close this window."),
    noApp: ("The app could not be opened", "{} is not there to take the answer. Open it and log in once more."),
    refused: ("This link was not followed", "Somebody opened a link to this app. {} Nothing has happened."),
    reasons: Reasons(
      tooLong: "It is too long to be of an app.", unknown: "It asks for nothing that this app knows.",
      incomplete: "It is incomplete.", forbiddenRedirect: "Its answer would not go to an app.",
      otherStore: "It is for another store: {}."))

  static let german = StoreAppTexts(
    language: "de", account: "Dein Konto",
    answered: ("Zurück zur App", "{} hat die Antwort bekommen. Du kannst dieses Fenster schließen."),
    noApp: (
      "Die App ließ sich nicht öffnen",
      "{} ist nicht da, um die Antwort anzunehmen. Öffne die App und melde dich noch einmal an."
    ),
    refused: (
      "Diesem Link wurde nicht gefolgt", "Jemand hat einen Link zu dieser App geöffnet. {} Nichts ist geschehen."
    ),
    reasons: Reasons(
      tooLong: "Er ist zu lang, um von einer App zu sein.",
      unknown: "Er verlangt nichts, was diese App kennt.", incomplete: "Er ist unvollständig.",
      forbiddenRedirect: "Seine Antwort ginge nicht an eine App.", otherStore: "Er ist für einen anderen Store: {}."))

  static let french = StoreAppTexts(
    language: "fr", account: "Votre compte",
    answered: ("Retournez dans l’application", "{} a reçu sa réponse. Vous pouvez fermer cette fenêtre."),
    noApp: (
      "L’application n’a pas pu être ouverte",
      "{} n’est pas là pour recevoir la réponse. Ouvrez-la et connectez-vous à nouveau."
    ),
    refused: (
      "Ce lien n’a pas été suivi", "Quelqu’un a ouvert un lien vers cette application. {} Il ne s’est rien passé."
    ),
    reasons: Reasons(
      tooLong: "Il est trop long pour venir d’une application.",
      unknown: "Il ne demande rien que cette application connaisse.", incomplete: "Il est incomplet.",
      forbiddenRedirect: "Sa réponse n’irait pas à une application.",
      otherStore: "Il est destiné à une autre boutique : {}."))

  static let dutch = StoreAppTexts(
    language: "nl", account: "Je account",
    answered: ("Ga terug naar de app", "{} heeft het antwoord. Je kunt dit venster sluiten."),
    noApp: (
      "De app kon niet worden geopend", "{} is er niet om het antwoord aan te nemen. Open de app en log opnieuw in."
    ),
    refused: ("Deze link is niet gevolgd", "Iemand heeft een link naar deze app geopend. {} Er is niets gebeurd."),
    reasons: Reasons(
      tooLong: "Hij is te lang om van een app te zijn.", unknown: "Hij vraagt niets wat deze app kent.",
      incomplete: "Hij is onvolledig.", forbiddenRedirect: "Het antwoord zou niet naar een app gaan.",
      otherStore: "Hij is voor een andere winkel: {}."))

  static let spanish = StoreAppTexts(
    language: "es", account: "Tu cuenta",
    answered: ("Vuelve a la aplicación", "{} ya tiene su respuesta. Puedes cerrar esta ventana."),
    noApp: (
      "No se ha podido abrir la aplicación", "{} no está para recibir la respuesta. Ábrela e inicia sesión de nuevo."
    ),
    refused: (
      "No se ha seguido este enlace", "Alguien ha abierto un enlace a esta aplicación. {} No ha pasado nada."
    ),
    reasons: Reasons(
      tooLong: "Es demasiado largo para ser de una aplicación.", unknown: "No pide nada que esta aplicación conozca.",
      incomplete: "Está incompleto.", forbiddenRedirect: "Su respuesta no iría a una aplicación.",
      otherStore: "Es para otra tienda: {}."))

  static let arabic = StoreAppTexts(
    language: "ar", account: "حسابك",
    answered: ("عُد إلى التطبيق", "تلقّى {} الرد. يمكنك إغلاق هذه النافذة."),
    noApp: ("تعذّر فتح التطبيق", "لا يمكن لـ {} استلام الرد الآن. افتح التطبيق وسجّل الدخول مرة أخرى."),
    refused: ("لم يُتَّبع هذا الرابط", "فتح أحدهم رابطًا إلى هذا التطبيق. {} لم يحدث شيء."),
    reasons: Reasons(
      tooLong: "إنه أطول من أن يكون من تطبيق.", unknown: "لا يطلب شيئًا يعرفه هذا التطبيق.",
      incomplete: "إنه غير مكتمل.", forbiddenRedirect: "لن يذهب رده إلى تطبيق.", otherStore: "إنه لمتجر آخر: {}."))
}
