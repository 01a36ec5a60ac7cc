import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as EndpointAddress from "../src/webhooks/EndpointAddress.ts"

const inner = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.1.2.3",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "64:ff9b::7f00:1",
  "fe80::1",
  "fc00::1",
  "fd12:3456::1",
  "ff02::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::"
]

const refused = (url: string, options?: EndpointAddress.Options) =>
  Result.getFailure(EndpointAddress.parse(url, options))

describe("EndpointAddress", () => {
  for (const address of inner) {
    it(`knows that ${address} is not of the public internet`, () => {
      assert.isFalse(EndpointAddress.isPublic(address))
      const url = address.includes(":") ? `http://[${address}]/` : `http://${address}/`
      assert.deepInclude(refused(url), { value: "private" })
    })
  }

  it("knows public addresses", () => {
    for (const address of [
      "1.1.1.1",
      "93.184.216.34",
      "172.32.0.1",
      "100.63.255.255",
      "2606:4700::1111",
      "2a00:1450::1"
    ]) {
      assert.isTrue(EndpointAddress.isPublic(address), address)
    }
    assert.isFalse(EndpointAddress.isPublic("example.com"))
  })

  it("refuses other spellings of this machine, other schemes, and names and passwords", () => {
    for (const host of [
      "2130706433",
      "0x7f.1",
      "0177.0.0.1",
      "127.1",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "db.internal"
    ]) {
      assert.deepInclude(refused(`http://${host}/`), { value: "private" }, host)
    }
    assert.deepInclude(refused("file:///etc/passwd"), { value: "scheme" })
    assert.deepInclude(refused("gopher://example.com/"), { value: "scheme" })
    assert.deepInclude(refused("https://me:secret@example.com/"), { value: "credentials" })
    assert.deepInclude(refused("example.com"), { value: "no_url" })
  })

  it("keeps names, passwords and paths out of what is shown", () => {
    assert.strictEqual(
      EndpointAddress.originOf("https://me:secret@example.com:8443/T0/key?x=1"),
      "https://example.com:8443"
    )
    assert.strictEqual(EndpointAddress.originOf("gopher://me:secret@example.com/"), "gopher://example.com")
    assert.strictEqual(EndpointAddress.originOf("me:secret@"), "this address")
    assert.strictEqual(EndpointAddress.originOf("http://secret:port"), "this address")
  })

  it("permits a public name, and a private address where the host says so", () => {
    assert.isTrue(Result.isSuccess(EndpointAddress.parse("https://hooks.example.com/in?x=1")))
    assert.isTrue(Result.isSuccess(EndpointAddress.parse("http://127.0.0.1:8080/", { permitPrivate: true })))
  })
})
