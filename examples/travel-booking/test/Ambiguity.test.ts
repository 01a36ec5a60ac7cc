/** Ambiguous time-outs in a short form: `node examples/travel-booking/crash/main.ts` injects a thousand. */
import { assert, describe, it } from "@effect/vitest"
import * as Ambiguity from "../crash/Ambiguity.ts"

const timeout = 240_000

describe("sixty bookings whose first answer is missing", () => {
  it("are made once each by the protocol: ask under the original key, settle, send again under it (L6, L14)", {
    timeout
  }, async () => {
    const counts = await Ambiguity.withProtocol(60)
    const { booked, duplicates, lost, unreal, wanted } = Ambiguity.total(counts)
    assert.deepStrictEqual(
      { booked, duplicates, lost, unreal, wanted },
      {
        booked: 60,
        duplicates: 0,
        lost: 0,
        unreal: 0,
        wanted: 60
      }
    )
  })

  it("are made once each if the power is cut as soon as they are told (L14, decision 0051)", {
    timeout
  }, async () => {
    const { booked, duplicates, lost, unreal } = Ambiguity.total(await Ambiguity.withPowerCuts(60))
    assert.deepStrictEqual({ booked, duplicates, lost, unreal }, { booked: 60, duplicates: 0, lost: 0, unreal: 0 })
  })

  it("are doubled by blind retry under fresh keys whenever the airline had acted", { timeout }, async () => {
    const counts = await Ambiguity.withBlindRetry(60)
    assert.isAtLeast(counts.timeout_after_commit.duplicates, 12)
    assert.isAtLeast(counts.lost_response.duplicates, 12)
    assert.isAtLeast(Ambiguity.total(counts).duplicates, 40)
  })
})
