import Foundation
import StoreTestSupport
import Testing

/// Where `onside wallet` keeps the device's secret. The keyring is tried with the wallet's own tests.
@Suite(.timeLimit(.minutes(5))) struct DeviceSecretCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func wallet(_ arguments: String..., lines: String..., tpm: String) async throws -> Program.Outcome {
    let words = ["wallet"] + arguments + ["--wallet", "w"] + (lines.isEmpty ? [] : ["--pin-fd", "0"])
    return try await onside.run(
      words, environment: ["ONSIDE_WALLET_TPM": tpm, "DBUS_SESSION_BUS_ADDRESS": "disabled:"],
      input: lines.map { $0 + "\n" }.joined())
  }

  @Test(
    "Without a TPM and a keyring it is a file; who asks for one of them is told what is missing, and gets no wallet")
  func fallback() async throws {
    let none = "device:/nowhere/tpm"
    for (place, reason) in [("tpm", "no TPM answers at \(none)"), ("keyring", "there is no session bus")] {
      let refused = try await wallet("create", "--no-vault", "--device-secret", place, lines: "908172", tpm: none)
      #expect(refused.status == 1)
      #expect(refused.errors.contains(reason), "\(refused.errors)")
      let errors = try await wallet("address", tpm: none).errors
      #expect(errors.contains("found none"))
    }
    let made = try await wallet("create", "--no-vault", lines: "908172", tpm: none)
    #expect(made.output.contains("The device's secret is kept by: file."), "\(made.errors)")
    let output = try await wallet("doctor", tpm: none).output
    #expect(output.contains("device secret: file"))
  }

  @Test(
    "WAL-5: With a TPM it is there, remembered, and the TPM's own rule is said and kept",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/swtpm"), "swtpm is missing (script/setup)"))
  func tpm() async throws {
    let (device, address) = try await startTPM()
    let made = try await wallet("create", "--no-vault", lines: "908172", tpm: address)
    #expect(made.output.contains("The device's secret is kept by: TPM 2.0."), "\(made.errors)")
    let rule = "it locks at 3 wrong PINs, then allows one each 1000 s, which makes 31 years for six digits"
    #expect(made.output.contains(rule), "\(made.output)")
    let doctor = try await wallet("doctor", tpm: address).output
    for line in ["device secret: TPM 2.0", "TPM: 3 tries left", rule, "tpm2_changeauth -c lockout"] {
      #expect(doctor.contains(line), "\(doctor)")
    }
    let status = try await wallet("sign-in", lines: "908172", tpm: address).status
    #expect(status == 0)
    let wrong = [("400301", "2 tries remain"), ("400302", "1 try remains"), ("400303", "the next try in 1000 s")]
    for (pin, left) in wrong {
      let errors = try await wallet("sign-in", lines: pin, tpm: address).errors
      #expect(errors == "Error: expected the wallet's PIN, got another: \(left)\n")
    }
    #expect(try await wallet("sign-in", lines: "908172", tpm: address).errors.contains("try again in 1000 s"))
    device.send(SIGKILL)
    await device.ended()
    let away = try await wallet("sign-in", lines: "908172", tpm: address)
    #expect(away.errors.contains("nothing is lost"), "\(away.errors)")
  }

  /// A TPM in software at two ports, and how it is found, once it answers.
  private func startTPM() async throws -> (ChildProgram, String) {
    let port = Int.random(in: 33_000..<60_000)
    let device = try ChildProgram(
      URL(filePath: "/usr/bin/swtpm"),
      arguments: [
        "socket", "--tpm2", "--tpmstate", "dir=\(onside.folder.url.path())", "--server", "type=tcp,port=\(port)",
        "--ctrl", "type=tcp,port=\(port + 1)", "--flags", "not-need-init,startup-clear",
      ], in: onside.folder, environment: [:])
    let address = "swtpm:host=127.0.0.1,port=\(port)"
    try await NamedDeadline.wait(for: "an answer of the TPM", every: .milliseconds(20)) {
      try #require(device.isRunning, "\(device.errors)")
      let probe = try await wallet("create", "--no-vault", "--device-secret", "tpm", lines: "123456", tpm: address)
      // It answers when the PIN is what is refused.
      return probe.errors.contains("guessed first")
    }
    return (device, address)
  }
}
