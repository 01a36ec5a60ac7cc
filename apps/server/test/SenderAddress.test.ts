import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import * as SenderAddress from "../src/caller/SenderAddress.ts"

const sender = (forwarded: string | undefined, proxies: number, connected = "10.0.0.1") => {
  const headers = Headers.fromInput(forwarded === undefined ? {} : { "x-forwarded-for": forwarded })
  return SenderAddress.of({ headers, remoteAddress: Option.some(connected) }).pipe(
    Effect.provideService(SenderAddress.Proxies, proxies)
  )
}

describe("SenderAddress", () => {
  it.effect("is that of the connection, unless the operator's proxies have seen another one", () =>
    Effect.gen(function* () {
      for (const [forwarded, proxies, address] of [
        ["203.0.113.7", 0, "10.0.0.1"],
        [undefined, 1, "10.0.0.1"],
        ["", 1, "10.0.0.1"],
        ["unknown", 1, "10.0.0.1"],
        ["203.0.113.7", 1, "203.0.113.7"],
        // The sender has written the first one.
        ["198.51.100.1, 203.0.113.7", 1, "203.0.113.7"],
        ["198.51.100.1,203.0.113.7, 10.0.0.2", 2, "203.0.113.7"],
        ["203.0.113.7", 2, "10.0.0.1"],
        ["203.0.113.7:50123", 1, "203.0.113.7"],
        ["[2001:db8::7]:50123", 1, "2001:db8:0:0::/64"],
        ["2001:db8::7", 1, "2001:db8:0:0::/64"]
      ] as const) {
        assert.strictEqual(yield* sender(forwarded, proxies), address, `${forwarded} through ${proxies}`)
      }
    })
  )

  it.effect("is one for the network of IPv6 in which a sender may have any address", () =>
    Effect.gen(function* () {
      for (const [connected, address] of [
        ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
        ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
        ["2001:db8:1:2:ffff:ffff:192.0.2.1:1", "2001:db8:1:2:ffff:ffff:192.0.2.1:1"],
        ["2001:db8:1:2::192.0.2.1", "2001:db8:1:2::/64"],
        ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
        ["::", "0:0:0:0::/64"],
        ["::1", "0:0:0:0::/64"],
        ["fe80::1%eth0", "fe80:0:0:0::/64"],
        ["::ffff:192.0.2.1", "192.0.2.1"],
        ["::ffff:c000:201", "192.0.2.1"],
        ["::FFFF:C000:0201", "192.0.2.1"],
        ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
        ["::ffff:0:c000:201", "0:0:0:0::/64"],
        ["192.0.2.1", "192.0.2.1"],
        ["nowhere", "nowhere"]
      ] as const) {
        assert.strictEqual(yield* sender(undefined, 0, connected), address, connected)
      }
    })
  )
})
