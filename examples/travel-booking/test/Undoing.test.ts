/** A trip whose card is refused for good: the bookings are cancelled, whichever process dies meanwhile. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Crew from "../crash/Crew.ts"
import type { Death } from "../crash/Job.ts"
import * as Undoing from "../crash/Undoing.ts"

const timeout = 240_000

describe("a trip whose card is refused for good", () => {
  let crew: Crew.Crew
  let folder: string
  let stores = 0
  beforeAll(() => {
    crew = new Crew.Crew(2)
    folder = mkdtempSync(join(tmpdir(), "backstitch-undoing-"))
  })
  afterAll(async () => {
    await crew.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const play = (trial: Omit<Undoing.Trial, "store">) =>
    Undoing.run({ ...trial, store: { dialect: "sqlite", filename: join(folder, `${++stores}.db`) } }, crew)

  const undone = (verdict: Undoing.Verdict, at: string) => {
    const { bookings, cancelled, charges, divergences, ended, report, stays, violated } = verdict
    assert.deepStrictEqual([bookings, stays, charges], [["cancelled"], ["cancelled"], 0], at)
    assert.deepStrictEqual(cancelled, ["cancel_hotel", "cancel_flight"], at)
    assert.deepStrictEqual([ended, divergences, report.held.length], ["Failed", 0, 0], at)
    assert.deepStrictEqual(violated, [], at)
    const standings = report.actions.map(({ standing, tool }) => `${tool} ${standing}`)
    assert.includeMembers(standings, ["book_flight compensated", "book_hotel compensated", "charge_card failure"], at)
    assert.notStrictEqual(report.standing, "success", at)
  }

  it("gives room and seat back in reverse order, verified in the world's own database (L12)", { timeout }, async () => {
    undone(await play({}), "without a death")
  })

  const deaths: ReadonlyArray<Pick<Death, "nth" | "place">> = [
    { place: "append/committed", nth: 2 },
    { place: "append/before", nth: 3 },
    { place: "effect/before", nth: 2 },
    { place: "effect/answered", nth: 2 },
    { place: "readback/answered", nth: 2 },
    { place: "original/before", nth: 1 },
    { place: "original/answered", nth: 1 },
    { place: "settle/committed", nth: 1 },
    { place: "effect/answered", nth: 3 },
    { place: "settle/committed", nth: 2 }
  ]

  for (const death of deaths) {
    const at = `${death.place} ${death.nth}`
    it(`does so once when it is killed while it does, at ${at} (L5, L14)`, { timeout }, async () => {
      const verdict = await play({ death })
      assert.isTrue(verdict.killed, at)
      undone(verdict, at)
    })
  }

  it("gives them back if a cancellation has a record of its own that did not exist before (L5, L8)", {
    timeout
  }, async () => {
    undone(await play({ isApart: true }), "without a death")
    for (const death of [
      { place: "original/answered", nth: 1 },
      { place: "effect/before", nth: 2 },
      { place: "effect/answered", nth: 2 }
    ] as const) {
      undone(await play({ isApart: true, death }), `${death.place} ${death.nth}`)
    }
  })

  it("keeps the seat and asks a person when the hotel takes nothing back: never a success (L8, L9)", {
    timeout
  }, async () => {
    for (const death of [undefined, { place: "effect/answered", nth: 2 }] as const) {
      const { bookings, ended, report, stays } = await play({ stubborn: true, death })
      assert.deepStrictEqual([ended, bookings, stays], ["Held", ["confirmed"], ["confirmed"]])
      assert.strictEqual(report.standing, "review_required")
      const room = report.actions.find(({ tool }) => tool === "book_hotel")
      assert.deepInclude(room, { standing: "review_required" })
      assert.deepInclude(report.held[0]?.next, { run: "trip", verb: "resolve" })
    }
  })

  it("goes on at the place where it stopped once a person says that the obstacle is gone, and undoes all of it", {
    timeout
  }, async () => {
    undone(await play({ stubborn: true, verdict: "reopened" }), "after a decision")
  })

  it("leaves an act that a person lets stand, frees the run, and reports the act (L8)", { timeout }, async () => {
    const { bookings, report, stays } = await play({ stubborn: true, verdict: "failure" })
    assert.deepStrictEqual([bookings, stays, report.held], [["confirmed"], ["confirmed"], []])
    assert.notInclude(["success", "review_required"], report.standing)
  })
})
