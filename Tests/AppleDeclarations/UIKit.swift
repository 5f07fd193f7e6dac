// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The few symbols of Apple's UIKit that OnsideKit names, as declared in Apple's documentation, without a body.

@MainActor open class UIWindowScene {}
@MainActor open class UIWindow {}
