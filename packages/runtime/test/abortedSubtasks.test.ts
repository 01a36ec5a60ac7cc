import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as OpenActionStatus from "../src/pending/OpenActionStatus.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as SubtaskRecovery from "../src/run/SubtaskRecovery.ts"
import * as lab from "./lab.ts"
import { Desk, definition, entry, find, looks, reserve } from "./slots.ts"

const { machine, skeletons, tools } = definition
const { on_reconciled: _, readback: __, undo: ___, ...written } = tools.release

/** The form of slots, where each slot is confirmed at last: one that cannot be confirmed is given up. */
const pack = Result.getOrThrow(
  TaskPack.make({
    ...definition,
    tools: { ...tools, confirm: { ...written, undo: "X" } },
    machine: { ...machine, edges: [...machine.edges, { from: "open", tool: "confirm", to: "open" }] },
    skeletons: {
      ...skeletons,
      slot: {
        ...skeletons.slot,
        tools: ["find", "reserve", "confirm"],
        states: machine.states,
        exit: "tool == 'confirm'",
        aborts: ["confirm"]
      }
    }
  })
)

const draft: Proposal = { tool: "draft", params: {} }
const confirm: Proposal = { tool: "confirm", params: { slot: "0" } }

/** A desk that confirms nothing. */
const toolsOf = (desk: Desk): ToolExecutor.Tools => ({
  ...desk.tools,
  confirm: {
    execute: () => {
      throw new ToolExecutor.ToolRefused("closed")
    }
  }
})

const opened = Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, { pack, goal: "goal" }))

/** Proposes in one process, and answers what the last proposal came to, with what the desk has done. */
const goes = Effect.fnUntraced(function* (
  proposals: ReadonlyArray<Proposal>,
  options: {
    readonly kernel?: Kernel.Kernel
    readonly ends?: (handle: RunHandle.RunHandle) => Effect.Effect<unknown, RunHandle.RunError>
  } = {}
) {
  const desk = new Desk()
  const executor = ToolExecutor.fromTools(toolsOf(desk))
  const process = lab.process(yield* lab.shared, { executor, ...options })
  const outcome = yield* lab.elapsing(
    lab.as(process)(
      Effect.gen(function* () {
        const handle = yield* opened
        let last: Outcome | undefined
        for (const proposal of proposals) last = yield* handle.propose(proposal)
        yield* options.ends?.(handle) ?? Effect.void
        yield* handle.flush
        return last
      })
    )
  )
  const looked = yield* lab.as(process)(looks)
  const { held } = Report.make(yield* lab.as(process)(OpenActionStatus.head(lab.trip)), looked.trace)
  return { desk, outcome, held, ...looked }
})

const blocksOf = (trace: Effect.Success<ReturnType<typeof goes>>["trace"]) =>
  trace.flatMap(({ body }) => (body.type === "recovery.decided" ? [body.data?.["blocks"]] : []))

describe("a subtask that a failure aborts", () => {
  it.effect("is undone while nothing else of the run has read from it", () =>
    Effect.gen(function* () {
      const { desk, differs, outcome, working } = yield* goes([find("0"), reserve("0"), confirm])
      assert.strictEqual(outcome?._tag, "Failed")
      assert.deepStrictEqual(desk.effects, ["reserve 0", "release 0"])
      assert.deepStrictEqual([differs, working], [[], { slots: {}, stage: "open" }])
    })
  )

  it.effect("is held under a form that was drafted of it, as a rollback would be, with the form named (L10)", () =>
    Effect.gen(function* () {
      const { desk, differs, divergences, held, outcome, trace, working } = yield* goes(
        [find("0"), reserve("0"), draft, confirm],
        {
          ends: (handle) =>
            Effect.gen(function* () {
              const again = yield* handle.resume
              assert.deepStrictEqual(
                again.map(({ _tag }) => _tag),
                ["Held"]
              )
              const rolled = yield* SubtaskRecovery.restore(handle, { ...entry, instance: "slot::0::0" })
              assert.strictEqual(rolled.judged?.decided._tag, "Blocked")
            })
        }
      )
      assert.deepStrictEqual(desk.effects, ["reserve 0"])
      assert.deepStrictEqual([differs, divergences], [[], []])
      assert.deepInclude(working, { slots: { 0: "monday 0" } })
      const [{ next, why: said } = assert.fail("nothing is held")] = held
      assert.deepInclude(next, { verb: "resolve", as: ["failure", "abandoned"] })
      assert.include(said, "form::null::0 has read working.slots")
      const args = { by: "form::null::0", keys: ['working.slots["0"]'], subtask: "slot::0::0" }
      const why = { args, code: "undo.consumed" }
      assert.deepStrictEqual(blocksOf(trace), [[{ why }]])
      assert.include(outcome?._tag === "Held" ? Wording.tell(outcome.why) : "", "form::null::0 has read working.slots")
    })
  )

  it.effect("is taken back by hand once a person has called its undoing off, and after its consumer", () =>
    Effect.gen(function* () {
      const { desk, differs, plan, working } = yield* goes([find("0"), reserve("0"), draft, confirm], {
        ends: (handle) =>
          Effect.gen(function* () {
            const { state } = yield* handle.position
            const { subject = "" } = UndoPlan.wanted(state) ?? assert.fail("nothing waits")
            const data = { action: subject, as: "abandoned", by: "ada", evidence: "the form is to be drafted anew" }
            yield* handle.propose({ type: "review.decided", author: "user", data })
            for (const instance of ["form::null::0", "slot::0::0"]) {
              const { outcome } = yield* SubtaskRecovery.restore(handle, { ...entry, instance })
              assert.strictEqual(outcome?._tag, "Done")
            }
          })
      })
      assert.deepStrictEqual([desk.effects, plan, differs], [["reserve 0", "release 0"], undefined, []])
      assert.deepStrictEqual(working, { slots: {}, stage: "open" })
    })
  )

  it.effect("is judged again if another process has a form drafted of it meanwhile (L10, L8)", () =>
    Effect.gen(function* () {
      const found = new Set<string>()
      let isWhole = false
      for (let place = 1; !isWhole && place < 100; place++) {
        isWhole = true
        const desk = new Desk()
        const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(toolsOf(desk)) })
        const does = (...proposals: ReadonlyArray<Proposal>) =>
          Effect.flatMap(opened, (handle) =>
            Effect.andThen(
              Effect.forEach(proposals, (proposal) => handle.propose(proposal)),
              handle.flush
            )
          )
        yield* lab.elapsing(lab.as(process)(does(find("0"), reserve("0"))))
        const meanwhile = lab.atPlace(place, () =>
          Effect.suspend(() => {
            isWhole = false
            return Effect.exit(lab.as(process)(does(draft)))
          })
        )
        yield* lab.elapsing(lab.as(process)(meanwhile(does(confirm))))
        const { differs, trace } = yield* lab.as(process)(looks)
        const tickOf = (is: (body: (typeof trace)[number]["body"]) => boolean) =>
          trace.find(({ body }) => is(body))?.tick ?? Number.POSITIVE_INFINITY
        const drafted = tickOf(({ action, type }) => type === "action.request" && action?.tool === "draft")
        const undone = tickOf(({ data, type }) => type === "recovery.decided" && data?.["plan"] !== undefined)
        const isUndone = desk.effects.includes("release 0")
        assert.deepStrictEqual([place, differs, isUndone], [place, [], undone < drafted])
        if (!isWhole) found.add(isUndone ? "undone" : "held")
      }
      assert.deepStrictEqual([isWhole, [...found].sort()], [true, ["held", "undone"]])
    })
  )

  it.effect("is undone by rules of the first version, which asked nothing else of the run", () =>
    Effect.gen(function* () {
      const kernel = { ...Kernel.standard, rules: { version: 1, changes: [] } }
      const { desk, differs } = yield* goes([find("0"), reserve("0"), draft, confirm], { kernel })
      assert.deepStrictEqual([desk.effects, differs], [["reserve 0", "release 0"], []])
    })
  )
})
