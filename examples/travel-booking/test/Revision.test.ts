/** A trip whose traveller wants to leave a day later: seat and room go back once, whichever process dies meanwhile. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Crew from "../crash/Crew.ts"
import type { Death } from "../crash/Job.ts"
import * as Revision from "../crash/Revision.ts"

const timeout = 240_000

describe("a trip that is revised once seat and room are booked", () => {
  let crew: Crew.Crew
  let folder: string
  let stores = 0
  beforeAll(() => {
    crew = new Crew.Crew(2)
    folder = mkdtempSync(join(tmpdir(), "backstitch-revision-"))
  })
  afterAll(async () => {
    await crew.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const play = (death: Pick<Death, "nth" | "place">) =>
    Revision.run({ death, store: { dialect: "sqlite", filename: join(folder, `${++stores}.db`) } }, crew)

  const both = ["cancel_hotel", "cancel_flight"]

  /** Places of the compensation, each with the cancellations that the world holds when the process dies there. */
  const deaths: ReadonlyArray<readonly [Pick<Death, "nth" | "place">, ReadonlyArray<string>]> = [
    [{ place: "effect/before", nth: 1 }, []],
    [{ place: "effect/answered", nth: 1 }, both.slice(0, 1)],
    [{ place: "effect/before", nth: 2 }, both.slice(0, 1)],
    [{ place: "effect/answered", nth: 2 }, both]
  ]

  for (const [death, cancelled] of deaths) {
    it(`is compensated once and ends under the new day if its agent is killed at ${death.place} ${death.nth} (L12, L14)`, {
      timeout
    }, async () => {
      const { absorptions, atDeath, atEnd, clauses, divergences, ended, isPending, killed, report } = await play(death)
      assert.isTrue(killed)
      assert.deepStrictEqual([atDeath.cancelled, atDeath.charged, atDeath.messages], [cancelled, [], 0])
      assert.deepStrictEqual(atEnd.bookings, ["RH101-2026-12-18 cancelled", "RH101-2026-12-19 confirmed"])
      assert.deepStrictEqual(atEnd.stays, ["parco 2026-12-18 cancelled", "parco 2026-12-19 confirmed"])
      assert.deepStrictEqual(atEnd.cancelled, both)
      // The new seat and room, and the night that the hotel keeps: its rate is not refundable.
      assert.deepStrictEqual([atEnd.charged, atEnd.messages], [[18_600 + 29_400 + 9_800], 1])
      assert.deepStrictEqual([ended, divergences, absorptions, isPending], ["Done", 0, 1, false])
      assert.strictEqual(clauses["date"], Revision.date)
      assert.deepStrictEqual([report.held, report.standing, report.residue.length], [[], "reversed_in_part", 1])
    })
  }
})
