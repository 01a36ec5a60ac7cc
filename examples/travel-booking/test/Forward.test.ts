/** A trip whose card is charged for good: the traveller is told once, or a person is told that they were not. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Crew from "../crash/Crew.ts"
import * as Forward from "../crash/Forward.ts"
import type { Death } from "../crash/Job.ts"

const timeout = 240_000

describe("a trip behind its point of no return", () => {
  let crew: Crew.Crew
  let folder: string
  let stores = 0
  beforeAll(() => {
    crew = new Crew.Crew(2)
    folder = mkdtempSync(join(tmpdir(), "backstitch-forward-"))
  })
  afterAll(async () => {
    await crew.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const play = (trial: Omit<Forward.Trial, "store">) =>
    Forward.run({ ...trial, store: { dialect: "sqlite", filename: join(folder, `${++stores}.db`) } }, crew)

  const completed = ({ charges, divergences, messages, remaining, report }: Forward.Verdict, at: string) => {
    assert.deepStrictEqual([messages, charges], [["delivered to anna@example.com"], 1], at)
    assert.deepStrictEqual([remaining, divergences, report.held, report.standing], [[], 0, [], "success"], at)
  }

  const suffered = {
    "is refused once": [{ kind: "refuse" }],
    "is away twice": [{ kind: "unavailable", times: 2 }],
    "loses its answer": [{ kind: "lost_response" }],
    "is away, refuses, and loses its answer": [{ kind: "unavailable" }, { kind: "refuse" }, { kind: "lost_response" }]
  } as const

  for (const [what, faults] of Object.entries(suffered)) {
    it(`is completed without the agent when the messenger ${what}, in the world's own database`, {
      timeout
    }, async () => {
      const verdict = await play({ faults, silent: true })
      assert.deepStrictEqual(verdict.ended, ["Done"])
      completed(verdict, what)
      assert.strictEqual(verdict.keys, faults.some(({ kind }) => kind === "refuse") ? 2 : 1)
    })
  }

  it("is held and told when the messenger refuses for ever, and nothing is taken back (L8)", { timeout }, async () => {
    const { charges, ended, messages, remaining, report } = await play({ faults: [{ kind: "refuse", times: 1000 }] })
    assert.deepStrictEqual([ended, messages, charges], [["Held"], [], 1])
    assert.deepStrictEqual(remaining, ["send_confirmation review_required"])
    assert.strictEqual(report.standing, "review_required")
    assert.deepInclude(report.held[0]?.next, { run: "trip", verb: "resolve" })
    assert.include(report.remaining[0]?.say, "send_confirmation remains of trip")
  })

  const deaths: ReadonlyArray<Pick<Death, "nth" | "place">> = [
    { place: "settle/committed", nth: 1 },
    { place: "append/before", nth: 3 },
    { place: "append/committed", nth: 3 },
    { place: "effect/before", nth: 2 },
    { place: "effect/answered", nth: 2 },
    { place: "append/committed", nth: 4 },
    { place: "append/committed", nth: 5 },
    { place: "effect/answered", nth: 3 },
    { place: "readback/answered", nth: 2 }
  ]

  for (const death of deaths) {
    const at = `${death.place} ${death.nth}`
    it(`is completed once when it is killed while it is, at ${at} (L5, L14)`, { timeout }, async () => {
      const verdict = await play({ faults: [{ kind: "refuse" }], silent: true, death })
      assert.isTrue(verdict.killed, at)
      completed(verdict, at)
    })
  }

  it("is completed once by two processes at once, whichever is faster (L1, L14)", { timeout }, async () => {
    for (const death of deaths.slice(3, 7)) {
      const verdict = await play({ faults: [{ kind: "refuse" }], silent: true, death, resumedBy: 2 })
      completed(verdict, `${death.place} ${death.nth}`)
    }
  })
})
