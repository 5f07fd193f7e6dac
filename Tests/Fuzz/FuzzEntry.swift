/// What libFuzzer calls with each input; see `script/fuzz`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let fault = DecoderInput.fault(input) { fatalError("did not hold: \(fault)") }
  return 0
}
