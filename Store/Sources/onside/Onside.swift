import ArgumentParser

@main
struct Onside: AsyncParsableCommand {}
