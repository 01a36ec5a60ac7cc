import type { Command } from "@backstitch/kernel/Command"
import * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { RevisionReplay } from "../src/replay/RevisionReplay.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as lab from "./lab.ts"
import { book, Desk, definition, hire, look, opened, processOf } from "./party.ts"
import { looks, proposes } from "./slots.ts"

type Absorb = Extract<Command, { readonly _tag: "Absorb" }>

/** Absorbs by a command that somebody has changed, and makes the decisions again. */
const differing = (changed: (command: Absorb) => Absorb) =>
  Effect.gen(function* () {
    const process = processOf(yield* lab.shared, new Desk(), { lawless: true })
    yield* lab.elapsing(
      lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* opened()
          yield* proposes(handle, look("Bern"), hire("Casino"), book("Trio"))
          yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Basel" }] })
          const judging = (yield* handle.judging)!
          const planned = RunAbsorption.plan(judging)!
          const outcome = yield* handle.absorb(changed(RunAbsorption.command(judging, planned)))
          assert.strictEqual(outcome._tag, "Done")
        })
      )
    )
    const { differs } = yield* lab.as(process)(looks)
    return differs.map(({ decided }) => decided)
  })

describe("a run whose absorptions are made again", () => {
  it.effect("obeys if its plan is the one that its contract demands", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* differing((command) => command), [])
    })
  )

  it.effect("is found out where a conflicting act was kept, an innocent one discarded, or a field put back", () =>
    Effect.gen(function* () {
      const none = { conflicts: [], discarded: [], undo: [] }
      const nothing = yield* differing((command) => ({ ...command, says: { ...command.says, ...none } }))
      assert.deepStrictEqual(nothing, ["nothing"])
      const more = { discarded: ["a2", ...["a4"]] }
      const innocent = yield* differing((command) => ({ ...command, says: { ...command.says, ...more } }))
      assert.isAbove(innocent.length, 0)
      const patch = [{ op: "remove", path: "/working/found/Bern" }] as const
      assert.isAbove((yield* differing((command) => ({ ...command, patch }))).length, 0)
    })
  )

  it.effect(
    "takes the note back that the agent made after the conflict, and keeps it where the record of old did",
    () =>
      Effect.gen(function* () {
        const noting = {
          revisions: { rule: "earliest_conflict" },
          reducers: {
            on: { ...definition.reducers.on, "memory.write": [{ set: { field: "working.menu", value: "args.text" } }] }
          }
        }
        const absorbed = Effect.fnUntraced(function* (keepsNotes: boolean) {
          const process = processOf(yield* lab.shared, new Desk(), { lawless: true })
          yield* lab.elapsing(
            lab.as(process)(
              Effect.gen(function* () {
                const handle = yield* opened(noting)
                yield* proposes(handle, hire("Casino"), {
                  type: "memory.write",
                  data: { text: "served in the Casino" }
                })
                yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Basel" }] })
                const judging = (yield* handle.judging)!
                const options = { keepsNotes }
                const command = RunAbsorption.command(judging, RunAbsorption.plan(judging)!, options)
                assert.strictEqual((yield* handle.absorb(command))._tag, "Done")
              })
            )
          )
          const { differs, working } = yield* lab.as(process)(looks)
          return [working["menu"], differs]
        })
        assert.deepStrictEqual(yield* absorbed(false), [null, []])
        assert.deepStrictEqual(yield* absorbed(true), ["served in the Casino", []])
      })
  )

  it("agrees with transitions that are no absorption, and with none of a run that permits no revisions", () => {
    const terms = {} as RunAbsorption.Judging["terms"]
    const state = { kernel: {}, working: {}, world: {} }
    const transition = (type: "message.received" | "revision.absorbed") =>
      ({ body: { author: "kernel", data: {}, type }, envelope: { ts: 0 }, stamp: { asOf: 0 }, tick: 2 }) as const
    const replay = new RevisionReplay()
    assert.isTrue(replay.agrees(transition("message.received"), [], state, terms))
    assert.isFalse(replay.agrees(transition("revision.absorbed"), [], state, terms))
  })
})
