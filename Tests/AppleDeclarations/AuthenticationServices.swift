// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The few symbols of Apple's AuthenticationServices that OnsideKit uses, as declared in Apple's documentation.

public import Foundation
public import UIKit

public typealias ASPresentationAnchor = UIWindow

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor open class ASWebAuthenticationSession {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void
  public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
  @MainActor weak open var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  open func start() -> Bool { false }
  open func cancel() {}
}
