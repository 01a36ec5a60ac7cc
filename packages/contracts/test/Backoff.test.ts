import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Backoff } from "../src/index.ts"
import * as Limits from "../src/Limits.ts"

const schedules = Schema.Struct({
  firstMillis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5000 })),
  factor: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  maxMillis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 }))
})
const times = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))

describe("Backoff", () => {
  it.prop(
    "asks later than now, and after no longer than the longest wait",
    [schedules, times, times],
    ([schedule, since, passed]) => {
      const now = since + passed
      const moment = Backoff.next(schedule, { since, now })
      assert.isAbove(moment, now)
      assert.isAtMost(moment - now, Math.max(schedule.firstMillis, schedule.maxMillis))
    }
  )

  it.prop(
    "has the same moments whoever computes them: a process that resumes does not begin anew",
    [schedules, times, times],
    ([schedule, since, passed]) => {
      const moment = Backoff.next(schedule, { since, now: since + passed })
      for (const now of [since + passed, Math.floor((since + passed + moment) / 2), moment - 1]) {
        assert.strictEqual(Backoff.next(schedule, { since, now }), moment)
      }
    }
  )

  it("waits longer each time, up to the longest", () => {
    const moments = [Backoff.next(Backoff.standard, { since: 0, now: 0 })]
    while (moments.length < 10) moments.push(Backoff.next(Backoff.standard, { since: 0, now: moments.at(-1)! }))
    const waits = moments.map((moment, index) => moment - (moments[index - 1] ?? 0))
    assert.deepStrictEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    const counted = waits.map((_, index) => Backoff.wait(Backoff.standard, index + 1))
    assert.deepStrictEqual(counted, waits)
    assert.strictEqual(Backoff.wait(Backoff.standard, 10_000), Limits.deciding.pollMillisMax)
  })

  it.prop("waits as long between two moments as for a retry, if the factor is whole", [schedules], ([schedule]) => {
    const sound = { ...schedule, maxMillis: Math.max(schedule.firstMillis, schedule.maxMillis) }
    let now = 0
    for (let n = 1; n <= 12; n++) {
      const moment = Backoff.next(sound, { since: 0, now })
      assert.strictEqual(moment - now, Backoff.wait(sound, n))
      now = moment
    }
  })

  it("rounds each wait that leads to a moment, and the wait of a retry once", () => {
    const schedule = { firstMillis: 1, factor: 1.4, maxMillis: 100 }
    assert.deepStrictEqual([Backoff.next(schedule, { since: 0, now: 3 }), Backoff.wait(schedule, 4)], [4, 3])
  })

  it("asks every so often if a contract says that", () => {
    assert.strictEqual(Backoff.next(Backoff.every(700), { since: 100, now: 1600 }), 2200)
  })
})
