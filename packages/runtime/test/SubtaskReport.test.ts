import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SubtaskReport from "../src/reporting/SubtaskReport.ts"
import * as SubtaskRecovery from "../src/run/SubtaskRecovery.ts"
import * as UndoOutlook from "../src/undo/UndoOutlook.ts"
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
      const recovery = (asked: SubtaskRecovery.SubtaskRequest) =>
        SubtaskReport.recovery(SubtaskRecovery.judge(lift, { ...asked, instance: "slot::0::0" }, 0)!, known)
      const blocked = recovery(entry)
      assert.deepStrictEqual(blocked.reasons, [
        { code: "committed_consumers_present", instances: ["form::null::0"], keys: ['working.slots["0"]'], effects: [] }
      ])
      assert.deepInclude(recovery({}), { admitted: false, reasons: blocked.reasons ?? [] })
      const latest = recovery({ policy: RecoveryPolicy.judging(RecoveryPolicy.policies.commit, "values") })
      const owes = [{ action: "a4", tool: "reserve", proof: "never" }] as const
      assert.deepInclude(latest, { admitted: true, instance: "slot::0::0", owes })
      assert.strictEqual(latest.checkpoint?.kind, "commit")
    })
  )

  it("shows how far an undoing has come, and to which checkpoint it leads", () => {
    const checkpoint = { skeleton: "slot", entity: "0", ordinal: 0, kind: "entry", tick: 1, state: "open" } as const
    const because = { code: "cause.asked", args: { reason: "wrong" } }
    const step = { undoes: "a4", tool: "release", params: {}, residue: false }
    const plan = { because, cause: "recovery", masks: [], steps: [step], id: "p9", done: [] } as const
    assert.deepStrictEqual(SubtaskReport.undoing({ ...plan, checkpoint, status: "running" }), {
      checkpoint: { instance: "slot::0::0", kind: "entry", tick: 1, state: "open", latest: false },
      isStopped: false,
      done: 0,
      of: 1
    })
    assert.deepStrictEqual(SubtaskReport.undoing({ ...plan, done: ["a4"], status: "stopped" }), {
      isStopped: true,
      done: 1,
      of: 1
    })
  })
})
