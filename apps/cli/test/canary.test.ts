import { readFileSync, writeFileSync } from "node:fs"
import * as CanaryRoute from "@backstitch/release/CanaryRoute"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")
const canary = shell.path("new.yaml")
writeFileSync(canary, readFileSync(fixture("pack.yaml"), "utf8").replace(/^version: .*$/m, "version: 9.9.9"))

const names = Array.from({ length: 20 }, (_, index) => `trip-${index}`)
const isTaken = (id: string) => Result.getOrThrow(CanaryRoute.takes({ share: 0.5 }, Run.make(id)))

describe("backstitch run --canary", () => {
  it("begins the runs of the share under the new pack, and the others under that of their agent", async () => {
    const taken = names.find(isTaken) ?? ""
    const left = names.find((id) => !isTaken(id)) ?? ""
    const route = ["--agent", agent, "--canary", canary, "--canary-share", "0.5"]
    const few = await shell.run(["run", taken, ...route])
    assert.deepStrictEqual([few.code, /PACK: \S+ 9\.9\.9/.test(few.out)], [0, true])
    assert.match(few.out, /CANARY: the run begins under .*new\.yaml/)
    const rest = await shell.run(["run", left, ...route])
    assert.deepStrictEqual([rest.code, rest.out.includes("9.9.9"), rest.out.includes("CANARY:")], [0, false, false])
    const { document } = await shell.json(`ledger ${taken}`)
    assert.match(document.entries[0].tool_contract.version, /@9\.9\.9$/)
  })

  it("begins nothing without both the pack and the runs of the canary, or with a share that is none", async () => {
    for (const flags of [
      ["--canary", canary],
      ["--canary-share", "0.5"],
      ["--canary", canary, "--canary-share", "7"],
      ["--canary", canary, "--canary-share", "0.5", "--canary-tenant", "pilot"]
    ]) {
      assert.strictEqual((await shell.run(["run", "none", "--agent", agent, ...flags])).code, 2, flags.join(" "))
    }
    assert.strictEqual((await shell.run(["show", "none"])).code, 2)
  })
})
