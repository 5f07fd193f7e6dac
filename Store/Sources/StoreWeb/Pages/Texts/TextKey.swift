/// The name of a text on the hosted pages; `{{t.name}}` in a template. Words in braces are put in by `Texts`.
package enum TextKey: String, CaseIterable, Decodable, CodingKeyRepresentable, Sendable {
  // Every page
  case skip, sandbox, sandboxNote, cancel, logIn, logOut, account, errorPrefix, footer

  // Home
  case homeTitle, homeHeading, homeLead, homeApps, homeNoApps, homeOpenShop

  // Shop
  case shopTitle, shopLead, shopRegion, shopShow, shopEmpty, shopBuy, shopSubscribe
  case shopOwned, shopUntil, shopOther, shopMoved, shopGone, shopActive
  case kindConsumable, kindNonConsumable, kindNonRenewing, kindSubscription
  case offerFree, offerPaid, endsAfter, offerFreeRenews, offerPaidRenews, renewsUntilCancelled

  // Landing page
  case landTitle, landLead, landInstall, landNext, landShop, landNote

  // Login
  case phoneTitle, phoneLead, phoneLeadApp, phoneLabel, phoneHint, phoneSubmit
  case phoneEmpty, phoneNoCountryCode, phoneUnknownCode, phoneTooShort, phoneTooLong, phoneUnexpected
  case emailLead, emailLeadApp, emailLabel, emailHint, emailEmpty, emailMalformed, emailUnexpected, emailChange
  case emailInstead, phoneInstead, emailRegionLead
  case loginMethodContinue, loginMethodsLead, loginMethodsLeadApp, loginMethodFailedTitle, loginMethodRefused,
    loginMethodBroken, loginMethodStale, loginMethodOther
  case walletName, walletContinue, walletLead, walletAddress, walletAddressHint, walletAddressWrong, walletNext
  case walletSignLead, walletChallenge, walletChallengeHint, walletSigned, walletSignedHint, walletSubmit, walletOther,
    walletWrong, walletStale
  case continueTitle, continueLead, continueAs, continueOther
  case consentTitle, consentLead, consentApp, consentTo, consentDetails, consentToApp, consentToProgram, consentToSite,
    consentMay
  case consentAccount, consentPurchases, consentOrders, consentNever, consentRefuse, consentOther
  case codeTitle, codeLead, codeLabel, codeSubmit, codeResend, codeResendWait, codeChange, codeSentAgain
  case codeMalformed, codeWrong, codeExpired, codeSpent
  case regionTitle, regionLead, regionLabel, regionSubmit, regionUnknown

  // Payment
  case payTitle, payLead, payRegion, payQuantity, payTotal, payLegend, payRemember, paySubmit
  case payDeclined, payUnchargeable, payChoose, payPriceChanged, payWas, payReplaces, payGivesBack
  case payDefault
  case renewTitle, renewSubmit, renewPayment, renewLogIn, offerFrom, offerAccept, offerTitle, offerLogIn
  case cardSucceeds, cardDeclined, cardSecondStep, cardSettlesLater, cardNeverSettles, cardLateCallback
  case cardCallbackTwice, cardRefundedLater, cardDisputeWon, cardDisputeLost, cardNote, payMore
  case cardEntry, cardEntryNote, cardEntryTitle, cardEntrySafe, cardEntryLabel, cardEntryMandate, cardEntryOther
  case cardEntryMandateRenewals, cardEntryMandateBoth
  case cardEntryScript, cardEntryUnreachable, cardConfirmTitle, cardConfirmLead, cardConfirmSubmit
  case bankTitle, bankHeading, bankLead, bankAmount, bankPayee, bankApprove, bankDecline, bankNote
  case pendingTitle, pendingLead, pendingCheck
  case closedTitle, closedCancelled, closedExpired, closedRegion, closedActive, closedReturned
  case receiptTitle, receiptLead, receiptRefunded, receiptProduct, receiptAmount, receiptDate, receiptEnds, receiptOrder
  case receiptNet, receiptTax, receiptNumber, receiptNumbered, receiptSeller, receiptSellerTax, receiptVerify,
    receiptVerifyText, receiptSigned, receiptGivenBack
  case receiptMailSubject, receiptMailText, receiptMailFind
  case alreadyTitle, alreadyText, alreadyReturned
  case backToApp

  // Codes of offers
  case redeemTitle, redeemLead, redeemLabel, redeemTake, redeemOther, redeemUnknown, redeemOver, redeemUsedUp
  case redeemUsed, redeemNotEligible, redeemNotSold, redeemOtherApp

  // Payment methods
  case methodsTitle, methodsLead, methodsEmpty, methodsMakeDefault, methodsRemove, methodsAdd, methodsAddLegend
  case methodsAddSubmit, methodsDone, methodsUse, methodsWaiting
  case methodRemoveTitle, methodRemoveLead, methodRemoveQuestion, methodRemoveEnd, methodRemovePays
  case methodFact, methodNone, methodOther, methodSubmit, methodPay, methodChosen, methodChosenOff, methodOwn

  // Requests for refunds
  case refundAsk, refundRequest, refundLead, refundReason, refundUnintended, refundNotDelivered, refundNotAsDescribed
  case refundOther, refundNote, refundNoteHint, refundNoteTooLong, refundChoose, refundSubmit, refundChange
  case refundWaiting, refundGranted, refundDeclined, refundNothing

  // Account
  case accountTitle, accountNumber, accountRegion, accountRegionNote, accountSave, accountSaved
  case accountPurchases, accountNone, accountReceipt
  case subscriptionsTitle, subscriptionRenews, subscriptionEnds, subscriptionGrace, subscriptionRetry, subscriptionPay
  case subscriptionStop, subscriptionEndNow, subscriptionResume, subscriptionStopped, subscriptionResumed
  case subscriptionsNone, subscriptionManage, subscriptionPaying, subscriptionPaid, subscriptionEnded
  case subscriptionDisputed
  case winBackTitle, winBackTake
  case planTitle, planPrice, planPaidUntil, planLastPayment, planNow, planNowBack, planLater, planChoose, planChange
  case planChanges, planKeep, planUnpaid, planPlanned, planKept, planRepriced, planBusy
  case pauseTitle, pauseLead, pauseFor, pauseSubmit, pausePlanned, pauseRuns, pauseDrop, pauseEndLead, pauseEnd
  case pauseSet, pauseDropped, pauseEnded
  case priceTitle, priceAsk, priceAskOptional, priceTold, priceAgree, priceDecline, priceAgreed, priceKept
  case moveTitle, moveLead, movePrices, moveOpen, moveKeep, moveApps, moveSubmit, sessionsTitle, sessionsLead
  case sessionsBrowser, sessionsThis, sessionsUnknown, sessionsTimes, sessionsEnd, sessionsEndOthers, sessionsEnded
  case loginsTitle, loginsLead, loginsChange, loginsPhone, loginsEmail, loginsSince, loginsRemove, loginsLast
  case loginsAdd, loginsAdded, loginsRemoved, takenTitle, takenText, loginsBack
  case dataTitle, dataLead, dataLink, proofLead, proofSubmit, exportTitle, exportLead, exportSubmit, deleteTitle
  case deleteGoes, deleteLost, deleteStays, deleteCodes, deleteTrial, deleteAgree, deleteUnticked, deleteSubmit
  case deletedTitle
  case deletedText
  case statePaid, stateOpen, stateProcessing, stateCancelled, stateRefunded, stateActive, stateEnding, stateEnded,
    stateUnpaid, stateDisputed
  case statePaused

  // Problems
  case problemHome
  case notFoundTitle, notFoundText, goneTitle, goneText, otherBrowserTitle, otherBrowserText, formTitle, formText
  case clientTitle, clientText, redirectTitle, redirectText, waitTitle, waitText, triesText, hurryText, busyTitle,
    busyText
  case brokenTitle, brokenText
  case waitSeconds, waitMinutes, waitHours

  // The message to a phone
  case messageSubject, messageText, guessSubject, guessText, loginAddedSubject, loginAddedText
  case loginRemovedSubject, loginRemovedText
  case choiceTitle, choiceLead, choiceAccount

  // Messages about subscriptions
  case noticeUnpaidSubject, noticeRefused, noticeAskBuyer, noticeNoMethod, noticeUntil, noticeOver
  case noticeOfferSubject, noticeTrialText, noticeOfferText, noticeRenewalSubject, noticeRenewalText
  case noticePriceSubject, noticePriceText, noticeQuestionSubject, noticeQuestionText, noticeQuestionOptionalText
  case noticeReminderSubject
  case noticeStop, noticePay, noticeAnswer
}
