#if os(Linux)
  import Foundation
  import Sodium
  import TPM
  import Testing

  @Suite("A TPM", .timeLimit(.minutes(20)), .enabled(if: SoftwareTPM.isThere, Comment(rawValue: SoftwareTPM.missing)))
  struct TPMTests {
    let secret = SecretBytes(random: 64)
    let auth = SecretBytes(joining: [SecretBytes(random: 31), SecretBytes(copying: [1])])
    let wrong = SecretBytes(joining: [SecretBytes(random: 31), SecretBytes(copying: [1])])

    @Test("gives back what it sealed, also after a restart, and seals nothing twice the same")
    func roundTrip() async throws {
      let device = try await SoftwareTPM()
      let open = try device.tpm.seal(secret)
      let guarded = try device.tpm.seal(secret, auth: auth)
      let seal = try device.tpm.seal(secret)
      #expect(seal != open)
      for _ in 0..<2 {
        #expect(try device.tpm.unseal(open).isEqual(to: secret))
        #expect(try device.tpm.unseal(guarded, auth: auth).isEqual(to: secret))
        device.stop()
        try await device.start()
      }
    }

    @Test("counts wrong values, locks, and stays locked after a restart; what needs no value still opens")
    func lock() async throws {
      let device = try await SoftwareTPM()
      let open = try device.tpm.seal(secret)
      let guarded = try device.tpm.seal(secret, auth: auth)
      for count in 1...3 {
        #expect(throws: TPMError.wrongAuth) { try device.tpm.unseal(guarded, auth: wrong) }
        let failed = try device.tpm.lockout().failed
        #expect(failed == count)
      }
      for _ in 0..<2 {
        #expect(throws: TPMError.locked) { try device.tpm.unseal(guarded, auth: auth) }
        let lockout = try device.tpm.lockout()
        #expect(lockout.isLocked && lockout.tries == 3 && lockout.interval == 1000)
        #expect(try device.tpm.unseal(open).isEqual(to: secret))
        device.stop()
        try await device.start()
      }
      try await device.tool("tpm2_dictionarylockout", "--clear-lockout")
      #expect(try device.tpm.unseal(guarded, auth: auth).isEqual(to: secret))
    }

    @Test("does not count values for what was sealed without one, and no value is as wrong as a wrong one")
    func kinds() async throws {
      let device = try await SoftwareTPM()
      let guarded = try device.tpm.seal(secret, auth: auth)
      #expect(throws: TPMError.wrongAuth) { try device.tpm.unseal(guarded) }
      let failed = try device.tpm.lockout().failed
      #expect(failed == 1)
      #expect(throws: TPMError.self) { try device.tpm.unseal(device.tpm.seal(secret), auth: wrong) }
      let secondFailed = try device.tpm.lockout().failed
      #expect(secondFailed == 1)
    }

    @Test("says whether root can take the lock away")
    func clearable() async throws {
      let device = try await SoftwareTPM()
      #expect(try device.tpm.lockout().isClearable)
      try await device.tool("tpm2_changeauth", "-c", "lockout", "hush")
      #expect(try !device.tpm.lockout().isClearable)
    }

    @Test("opens nothing of another TPM, nor of itself before it was cleared, and says so")
    func another() async throws {
      let (one, other) = (try await SoftwareTPM(), try await SoftwareTPM())
      let sealed = try one.tpm.seal(secret, auth: auth)
      #expect(throws: TPMError.another) { try other.tpm.unseal(sealed, auth: auth) }
      let failed = try other.tpm.lockout().failed
      #expect(failed == 0)
      try await one.tool("tpm2_clear")
      #expect(throws: TPMError.another) { try one.tpm.unseal(sealed, auth: auth) }
    }

    @Test("refuses every changed bit, also every third one under a right checksum, and counts none of them")
    func bitFlips() async throws {
      let device = try await SoftwareTPM()
      let good = try device.tpm.seal(secret, auth: auth)
      for bit in 0..<good.count * 8 {
        var bad = good
        bad[bit / 8] ^= 1 << (bit % 8)
        #expect(throws: TPMError.damaged, "bit \(bit)") { try device.tpm.unseal(bad, auth: auth) }
      }
      for count in 0..<good.count {
        #expect(throws: TPMError.damaged) { try device.tpm.unseal(Array(good.prefix(count)), auth: auth) }
      }
      // Behind magic and version lies the key's name.
      for bit in stride(from: 0, to: (good.count - 32) * 8, by: 3) {
        var bad = Array(good.dropLast(32))
        bad[bit / 8] ^= 1 << (bit % 8)
        let expected: TPMError = 5..<39 ~= bit / 8 ? .another : .damaged
        #expect(throws: expected, "bit \(bit)") { try device.tpm.unseal(bad + Hash.sha256(bad), auth: auth) }
      }
      let failed = try device.tpm.lockout().failed
      #expect(failed == 0)
      #expect(try device.tpm.unseal(good, auth: auth).isEqual(to: secret))
    }

    @Test("has nothing left in it after a hundred uses, of which some failed")
    func flushed() async throws {
      let device = try await SoftwareTPM()
      try await device.setLockout(tries: 1000, interval: 1000)
      for _ in 0..<25 {
        let sealed = try device.tpm.seal(secret, auth: auth)
        #expect(try device.tpm.unseal(sealed, auth: auth).isEqual(to: secret))
        #expect(throws: TPMError.wrongAuth) { try device.tpm.unseal(sealed, auth: wrong) }
        #expect(throws: TPMError.self) { try device.tpm.unseal(Array(sealed.reversed()), auth: auth) }
      }
      let leftovers = try await device.leftovers()
      #expect(leftovers == "")
    }

    @Test("shows nothing to who listens on its bus")
    func bus() async throws {
      let device = try await SoftwareTPM()
      let file = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: file) }
      setenv("TCTI_PCAP_FILE", file.path(percentEncoded: false), 1)
      let heard = TPM(tcti: "pcap:\(device.tcti)")
      let sealed = try heard.seal(secret, auth: auth)
      #expect(try heard.unseal(sealed, auth: auth).isEqual(to: secret))
      let bytes = try Data(contentsOf: file)
      #expect(bytes.range(of: Data(sealed[60..<80])) != nil, "the search finds what is not secret")
      for hidden in [secret, auth] {
        hidden.withBytes { hidden in
          for start in stride(from: 0, to: hidden.count - 8, by: 8) {
            #expect(bytes.range(of: Data(hidden[start..<start + 8])) == nil)
          }
        }
      }
    }

    @Test("that is not there, or whose library is not, is said")
    func absent() async throws {
      let none = TPM(tcti: "device:/nowhere/tpm")
      #expect(throws: TPMError.unavailable("no TPM answers at device:/nowhere/tpm (0xa000a)")) { try none.check() }
      for libraries in [TPMLibraries(esys: "libnothing.so.0"), TPMLibraries(tctildr: "libnothing.so.0")] {
        let other = TPM(libraries: libraries)
        #expect(throws: TPMError.self) { try other.check() }
        #expect(throws: TPMError.self) { try other.unseal([]) }
        do throws(TPMError) { try other.check() } catch { #expect("\(error)".hasSuffix("is not installed")) }
      }
      let device = try await SoftwareTPM()
      try await device.tool("tpm2_changeauth", "-c", "owner", "hush")
      #expect(throws: TPMError.unavailable("the TPM's owner hierarchy has a password")) { try device.tpm.check() }
    }
  }
#endif
