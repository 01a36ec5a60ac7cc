import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as UndoOutlook from "../src/projections/UndoOutlook.ts"
import * as SubtaskReport from "../src/reporting/SubtaskReport.ts"
import * as SubtaskRecovery from "../src/run/SubtaskRecovery.ts"
import * as lab from "./lab.ts"
import { Desk, entry, find, opened, processOf, proposes, reserve } from "./slots.ts"

describe("SubtaskReport", () => {
  it.effect("shows the subtasks of a run, their checkpoints, and whom a block names (L10, L11)", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk())
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened
            yield* proposes(handle, find("0"), reserve("0"), { tool: "draft" })
            yield* handle.flush
          })
        )
      )
      const lift = (yield* lab.as(process)(SubtaskRecovery.lift(lab.trip)))!
      const instances = SubtaskReport.instances(lift)
      assert.deepStrictEqual(
        instances.map(({ instance, phase, steps }) => [instance, phase, steps]),
        [
          ["slot::0::0", "exited", 2],
          ["form::null::0", "committed", 1]
        ]
      )
      assert.deepStrictEqual(
        SubtaskReport.checkpoints(lift).map(({ kind, latest }) => [kind, latest]),
        [
          ["entry", false],
          ["commit", false],
          ["exit", true],
          ["entry", false],
          ["commit", true]
        ]
      )
      const known = yield* lab.as(process)(UndoOutlook.known(lab.trip))
      const recovery = (asked: SubtaskRecovery.Asked) =>
        SubtaskReport.recovery(SubtaskRecovery.judge(lift, { ...asked, instance: "slot::0::0" }, 0)!, known)
      const blocked = recovery(entry)
      assert.deepStrictEqual(blocked.reasons, [
        { code: "committed_consumers_present", instances: ["form::null::0"], keys: ['working.slots["0"]'], effects: [] }
      ])
      const latest = recovery({})
      const owes = [{ action: "a4", tool: "reserve", proof: "never" }] as const
      assert.deepInclude(latest, { admitted: true, instance: "slot::0::0", owes })
      assert.strictEqual(latest.checkpoint?.kind, "commit")
    })
  )
})
