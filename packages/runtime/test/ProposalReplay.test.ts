/** An agent that proposes the same is told so, whatever people, providers, other runs and the world did meanwhile. */
import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as ActionState from "@backstitch/ledger/ActionState"
import type * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agent from "../src/agent/Agent.ts"
import * as WebhookIntake from "../src/deliveries/WebhookIntake.ts"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as History from "../src/history/History.ts"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as ProposalReplay from "../src/replay/ProposalReplay.ts"
import * as RecordedCommand from "../src/replay/RecordedCommand.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"
import { act, Desk } from "./rows.ts"
import * as sealed from "./sealed.ts"
import { cases, packOf } from "./states.ts"
import * as twins from "./twins.ts"

const done: Planner.ScriptStep = { id: "done", propose: { type: "goal.complete" } }

/** Asks the planner again, under another secret than the one by which the run was made. */
const partedAt = (run: Run.Run, planner: Layer.Layer<Planner.Planner>) =>
  ProposalReplay.partedAt(run, { planner, secret: "other" })

const scripted = (run: Run.Run, steps: ReadonlyArray<Planner.ScriptStep>) => partedAt(run, Planner.layerScript(steps))

/** The first tick at which a run has a transition of a type. */
const first = (type: string, run: Run.Run = lab.trip) =>
  Effect.map(lab.transitions(run), (all) => all.find(({ body }) => body.type === type)?.tick)

describe("an agent that is asked again", () => {
  for (const state of ActionState.states) {
    const played = cases[state]
    it.effect(`did the same where an action is ${state} ${played.says}, and parts where it asks for another`, () =>
      Effect.gen(function* () {
        const steps = [{ id: "act", propose: act() }, done]
        const executor = ToolExecutor.fromTools(played.code(new Desk()))
        const process = lab.process(yield* lab.shared, { executor, steps })
        const works = (after: (handle: RunHandle.RunHandle) => Effect.Effect<unknown, RunHandle.RunError>) =>
          lab.as(process)(
            Effect.gen(function* () {
              const coordinator = yield* Coordinator.Coordinator
              const handle = yield* coordinator.open(lab.trip, { pack: packOf(played), goal: "goal" })
              yield* Agent.run(handle)
              yield* after(handle)
            })
          )
        yield* lab.elapsing(works((handle) => played.after?.(handle, "a2") ?? Effect.void))
        yield* lab.elapsing(works(() => Effect.void))
        const again = lab.as(process)(
          Effect.all([
            scripted(lab.trip, steps),
            scripted(lab.trip, [{ id: "act", propose: act({ to: "bob" }) }, done]),
            scripted(lab.trip, [{ id: "act", propose: { ...act(), description: "otherwise" } }, done])
          ])
        )
        assert.deepStrictEqual(yield* again, [null, 2, 2])
      })
    )
  }

  it.effect("did the same if a person approved the waiting act, and parts if that was another call", () =>
    Effect.gen(function* () {
      const launch = { id: "launch", propose: { tool: "launch", params: { when: "now" } } }
      const steps = [launch, done]
      const executor = ToolExecutor.fromTools({ launch: { execute: () => ({ flies: true }) } })
      const process = lab.process(yield* lab.shared, { executor, steps })
      yield* lab.as(process)(lab.work)
      yield* lab.as(process)(lab.work)
      yield* lab.as(process)(
        Effect.gen(function* () {
          const [waiting] = yield* PendingApprovals.ofTenant(lab.trip.tenant)
          const data = { review: waiting?.review ?? "", verdict: "approved", by: "Ada", role: "operator" }
          yield* Effect.flatMap(lab.open(), (handle) =>
            handle.propose({ type: "review.decided", author: "user", data })
          )
        })
      )
      yield* lab.as(process)(lab.work)
      yield* lab.as(process)(
        Effect.gen(function* () {
          assert.isNull(yield* scripted(lab.trip, steps))
          assert.isAbove((yield* first("action.request")) ?? 0, 3)
          const later = { id: "launch", propose: { tool: "launch", params: { when: "later" } } }
          assert.strictEqual(yield* scripted(lab.trip, [later]), yield* first("policy.decision"))
        })
      )
    })
  )

  it.effect("did the same if it took over the act of another run", () =>
    Effect.gen(function* () {
      const steps = [{ id: "book", propose: lab.book("LX1") }, { id: "tell", propose: lab.tell("ada") }, done]
      const process = lab.process(yield* lab.shared, { steps })
      for (const run of [twins.first, twins.second]) {
        yield* lab.as(process)(Effect.flatMap(twins.open(run), (handle) => Agent.run(handle)))
      }
      yield* lab.as(process)(
        Effect.gen(function* () {
          const types = lab.types(yield* lab.transitions(twins.second))
          assert.isFalse(types.includes("action.started"))
          assert.isNull(yield* scripted(twins.second, steps))
          const other = [{ id: "book", propose: lab.book("LX2") }, ...steps.slice(1)]
          assert.strictEqual(yield* scripted(twins.second, other), 2)
        })
      )
    })
  )

  it.effect("did the same if its provider reported the outcome, and parts if it has more to do", () =>
    Effect.gen(function* () {
      const key = "AIRLINE_SECRET"
      const book = {
        ...lab.definition.tools.book,
        webhook: {
          secret: key,
          key: "body.key",
          tolerance: "none",
          done: "body.status == 'booked'",
          output: "body.booking"
        }
      }
      const pack = twins.packOf({ tools: { ...lab.definition.tools, book } } as Partial<Definition>)
      const world = new lab.World()
      world.faults.push("lost")
      const keys: Array<string> = []
      const { execute } = world.tools["book"]!
      const tools: ToolExecutor.Tools = {
        ...world.tools,
        book: {
          ...world.tools["book"]!,
          execute: (params: never, context) => {
            keys.push(context.key ?? "")
            return execute(params, context)
          },
          status: async () => "pending" as never
        }
      }
      const steps = [{ id: "book", propose: lab.book("LX1") }, done]
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(tools), steps })
      const works = lab.as(process)(Effect.flatMap(twins.open(lab.trip, pack), (handle) => Agent.run(handle)))
      yield* lab.elapsing(works)
      const body = { key: keys[0] ?? "", status: "booked", booking: { flight: "LX1", id: "book LX1", price: 80 } }
      const text = JSON.stringify(body)
      const signature = `sha256=${createHmac("sha256", "hush").update(text).digest("hex")}`
      const arrived = { tool: "book", body: Buffer.from(text), headers: new Map([["x-signature", signature]]) }
      yield* lab.as(process)(
        Effect.flatMap(twins.open(lab.trip, pack), (handle) => WebhookIntake.deliver(handle, arrived)).pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { [key]: "hush" } }))
        )
      )
      yield* lab.elapsing(works)
      yield* lab.as(process)(
        Effect.gen(function* () {
          const all = yield* lab.transitions()
          assert.isTrue(all.some(({ body }) => body.data?.["delivery"] !== undefined))
          assert.isNull(yield* scripted(lab.trip, steps))
          const more = [steps[0]!, { id: "tell", propose: lab.tell("ada") }, done]
          assert.strictEqual(yield* scripted(lab.trip, more), yield* first("goal.complete"))
          const behind = [...steps, { id: "look", propose: lab.look("trains") }]
          assert.strictEqual(yield* scripted(lab.trip, behind), all.length + 1)
        })
      )
    })
  )
})

describe("an agent that proposes a sealed value", () => {
  it.effect("did the same in clear, and parts if a value is another", () =>
    Effect.gen(function* () {
      const place = yield* sealed.place
      const executor = ToolExecutor.fromTools(new sealed.Office().tools)
      const options = { executor, steps: sealed.script, lawless: true }
      const process = Layer.merge(lab.process(place.services, options), place.services)
      yield* lab.as(process)(
        Effect.gen(function* () {
          yield* Effect.flatMap(twins.open(lab.trip, sealed.pack), (handle) => Agent.run(handle))
          assert.isNull(yield* scripted(lab.trip, sealed.script))
          const [find, note, , end] = sealed.script
          const params = { traveller: "anna", passport: "Y7654321", born: sealed.born }
          const other = [find!, note!, { id: "apply", propose: { tool: "apply", params } }, end!]
          assert.strictEqual(yield* scripted(lab.trip, other), 5)
        })
      )
    })
  )
})

/** A planner that proposes what a trace keeps and, from one time that it is asked on, something else. */
const recorded = (proposed: ReadonlyArray<RecordedCommand.Proposed>, otherwise = Number.POSITIVE_INFINITY) => {
  let asked = 0
  return Layer.sync(Planner.Planner, () => ({
    authors: "record" as const,
    next: () =>
      Effect.sync((): Proposal | undefined => {
        const each = proposed[asked++]
        if (asked > otherwise) return lab.look("another sea")
        if (each === undefined) return undefined
        return each._tag === "Type" ? { type: each.type } : each.command.proposal
      })
  }))
}

describe("a golden trace", () => {
  let recognised = 0

  // The values of those with sealed ones were kept beside them, and are not there.
  for (const name of goldens.names().filter((each) => !goldens.read(each).run.id.startsWith("visa"))) {
    it.effect(`${name} is recognised by its own proposals, and by each that is another`, () =>
      Effect.gen(function* () {
        const exported = goldens.read(name)
        const process = lab.process(yield* lab.shared, { lawless: true })
        yield* lab.as(process)(
          Effect.gen(function* () {
            yield* RunExport.importRun(exported)
            const history = yield* History.History
            const transitions = yield* history.transitions(exported.run)
            const all = transitions.flatMap((transition, index) => {
              // No planner of this run had proposed an intent that was carried over from another.
              const isImported = transitions[index - 1]?.body.type === "run.cherrypick"
              const proposed = isImported ? undefined : RecordedCommand.proposedIn(transition)
              return proposed === undefined ? [] : [{ proposed, tick: transition.tick }]
            })
            const proposed = all.map((each) => each.proposed)
            recognised += all.length
            assert.isNull(yield* partedAt(exported.run, recorded(proposed)))
            for (const [index, { tick }] of all.entries()) {
              assert.strictEqual(yield* partedAt(exported.run, recorded(proposed, index)), tick)
            }
          })
        )
      })
    )
  }

  it("holds proposals, most of them", () => {
    assert.isAbove(recognised, 200)
  })
})
