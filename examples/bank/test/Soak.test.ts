/**
 * Random kills in their short form, and the judge held against accounts that are not true.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundle } from "../../../apps/cli/build.ts"
import * as Judge from "../soak/Judge.ts"
import * as Plan from "../soak/Plan.ts"
import * as Trial from "../soak/Trial.ts"
import type { Everything } from "../world/Books.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-bank-"))
const program = join(import.meta.dirname, `../../../apps/cli/node_modules/.cache/bank-${process.pid}`)

beforeAll(() => bundle(program))
afterAll(() => {
  for (const each of [folder, program]) rmSync(each, { recursive: true, force: true, maxRetries: 3 })
})

const mild = {
  ...Plan.make(1, "sqlite"),
  chaosMillis: 2_500,
  killWithinMillis: 400,
  leaps: false,
  moves: false,
  stops: true
}

describe("random kills", () => {
  it.each([
    { errand: "pay", name: "a month that is paid", processes: 2, runs: 1, trouble: 0.2 },
    { errand: "more", name: "a month that is taken back", processes: 1, runs: 1, trouble: 0.2 },
    { errand: "pay", name: "twins that pay one month", processes: 1, runs: 2, trouble: 0 }
  ] as const)("leave an account that is true of $name (L5, L7, L8, L14)", async ({ name, ...about }) => {
    const home = join(folder, name)
    const store = { address: join(home, "trace.db"), tenant: "household" }
    const plan = { ...mild, ...about }
    const { kills, violations } = await Trial.run(plan, { folder: home, program: join(program, "main.js"), store })
    expect(violations).toEqual([])
    expect(kills).toBeGreaterThan(0)
  })
})

describe("the judge", () => {
  const transfer = { amount: 100, id: "T1", key: "k1", source: "household", status: "booked", target: "power" } as const
  const books: Everything = { letters: [], reversals: [], transfers: [transfer] }
  const told: Judge.Told = {
    action: "a1",
    key: "k1",
    params: {},
    run: "r",
    say: "",
    standing: "success",
    starts: 1,
    tool: "transfer"
  }
  const account = (...actions: ReadonlyArray<Judge.Told>): ReadonlyArray<Judge.Account> => [
    { actions, paid: undefined, run: "r", settled: true, verdict: "consistent", verified: true, waitsFor: [] }
  ]
  const letter = { ...told, key: undefined, tool: "letter" }
  const posted = { id: "L1", recipient: "landlord", text: "" }

  it("finds nothing if the account is true", () => {
    expect(Judge.judge(account(told), books)).toEqual([])
  })

  it.each([
    ["a bill that was paid twice", account(told), { transfers: [transfer, { ...transfer, id: "T2" }] }, "paid 2 times"],
    ["a success that is not on the books", account(told), { transfers: [] }, "no such transfer"],
    ["a failure that is on the books", account({ ...told, standing: "failure" }), {}, "has booked it"],
    ["an undoing that undid nothing", account({ ...told, standing: "compensated" }), {}, "the transfer stands"],
    ["a booking of nobody", account(), {}, "no run accounts for it"],
    ["a letter that was posted twice", account(told, letter), { letters: [posted, posted] }, "2 letters were posted"],
    ["a letter that was never posted", account(told, letter), {}, "1 letters are told as sent"],
    [
      "a letter that is told as lost",
      account(told, { ...letter, standing: "failure" }),
      { letters: [posted] },
      "not sent"
    ],
    ["a belief that the books do not bear out", [{ ...account(told)[0]!, paid: 0 }], {}, "believes that 0 is paid"],
    ["a trace that does not verify", [{ ...account(told)[0]!, verified: false }], {}, "does not verify"],
    ["a run without an end", [{ ...account(told)[0]!, settled: false }], {}, "comes to no end"]
  ] as const)("finds %s", (_, accounts, more: Partial<Everything>, text) => {
    expect(Judge.judge(accounts, { ...books, ...more }).join()).toContain(text)
  })
})
