/** A payment that fails while something else of its run is being undone: both are undone, the one after the other. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as OpenActionStatus from "../src/pending/OpenActionStatus.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "60s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = { class: "high_risk_external", idempotency: "idempotent_write", status: "by_key", times } as const
const input = { of: "string" } as const
const identity = { scope: "goal", fields: [{ of: "code" }] } as const
const readback = { source: "desk", expect: ["actual.status == 'kept'"], within: "2s" } as const
const kept = {
  ...keyed,
  input,
  identity,
  readback,
  undo: { class: "K", by: "cancel", with: { of: "args.of" } }
} as const

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.desk",
    version: "1.0.0",
    state: { world: {}, working: {} },
    tools: {
      book: { ...kept, target: "'seat/' + args.of" },
      rent: { ...kept, target: "'car/' + args.of" },
      cancel: {
        ...keyed,
        input,
        identity,
        target: "'cancellation/' + args.of",
        readback: { source: "desk", expect: ["actual.status == 'cancelled'"], within: "2s" },
        undo: "X"
      },
      pay: { ...keyed, input, identity, target: "'card/' + args.of", undo: "X" }
    },
    skeletons: {
      trip: { tools: ["book"] },
      stay: { tools: ["rent", "pay"], aborts: ["pay"] }
    }
  })
)

/** A desk whose answers to payments and cancellations can be kept back. */
class Desk {
  readonly effects: Array<string> = []
  readonly #status = new Map<string, string>()
  readonly gates = new Map<string, PromiseWithResolvers<void>>()
  /** The one thing that is never cancelled. */
  refuses = ""

  gate(name: string): PromiseWithResolvers<void> {
    const gate = Promise.withResolvers<void>()
    this.gates.set(name, gate)
    return gate
  }

  get tools(): ToolExecutor.Tools {
    const does = (status: string): ToolExecutor.Tool => ({
      execute: async ({ of }: { readonly of: string }) => {
        if (this.refuses === of && status === "cancelled") {
          await this.gates.get(status)?.promise
          throw new ToolExecutor.ToolRefused("no refund")
        }
        if (this.#status.get(of) !== status) this.effects.push(`${status} ${of}`)
        this.#status.set(of, status)
        await this.gates.get(status)?.promise
        return { of }
      },
      status: async (_, { of }: JsonObject) => ({ of }),
      readback: async (_, { of }: { readonly of: string }) =>
        this.#status.has(of) ? { of, status: this.#status.get(of) } : undefined
    })
    const pay: ToolExecutor.Tool = {
      execute: async () => {
        await this.gates.get("pay")?.promise
        throw new ToolExecutor.ToolRefused("declined")
      }
    }
    return { book: does("kept"), rent: does("kept"), cancel: does("cancelled"), pay }
  }
}

const started = (handle: RunHandle.RunHandle, tool: string) =>
  Effect.gen(function* () {
    for (;;) {
      const open = Object.values(OpenActions.of((yield* handle.standing).state))
      if (open.some((each) => each?.tool === tool && each.state === "executing")) return
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

/** Rents a car and begins to pay it; books a flight and takes that back: meanwhile the payment fails. */
const happens = (desk: Desk) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
    yield* handle.propose({ tool: "rent", params: { of: "VW1" } })
    const [pays, cancels] = [desk.gate("pay"), desk.gate("cancelled")]
    const paying = yield* Effect.forkChild(handle.propose({ tool: "pay", params: { of: "VW1" } }))
    yield* Effect.raceFirst(started(handle, "pay"), Fiber.join(paying))
    yield* handle.propose({ tool: "book", params: { of: "LX1" } })
    const [flight = ""] = SettledActions.inOrder((yield* handle.standing).state)
      .filter(([, { tool }]) => tool === "book")
      .map(([id]) => id)
    const wanted = { actions: [flight], because: "changed my mind", cause: "revision" } as const
    const undoing = yield* Effect.forkChild(handle.undo(wanted))
    yield* Effect.raceFirst(started(handle, "cancel"), Fiber.join(undoing))
    pays.resolve()
    const failed = yield* Fiber.join(paying)
    cancels.resolve()
    return { failed, undone: yield* Fiber.join(undoing) }
  })

const whole = ["kept VW1", "kept LX1", "cancelled LX1", "cancelled VW1"]

const left = Effect.gen(function* () {
  const { state } = yield* (yield* History.History).at(lab.trip)
  return [OpenActions.of(state), UndoPlan.open(state), UndoPlan.wanted(state)]
})

describe("a payment that fails while a revision is being undone", () => {
  it.effect("has its subtask undone after it, and the revision is answered as it would be alone (L12)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk.tools) })
      const found = yield* lab.elapsing(lab.as(process)(happens(desk)))
      assert.deepInclude(found.undone, { _tag: "Done" })
      assert.strictEqual(found.failed._tag, "Held")
      assert.deepStrictEqual(desk.effects, whole)
      assert.deepStrictEqual(yield* lab.as(process)(left), [{}, undefined, undefined])
    })
  )

  it.effect("has it undone by the next process, wherever this one dies (L12, L14)", () =>
    Effect.gen(function* () {
      let deaths = 0
      for (let n = 1; ; n++) {
        const desk = new Desk()
        const executor = ToolExecutor.fromTools(desk.tools)
        const store = yield* lab.shared
        const process = lab.process(store, { executor })
        const dying = lab.atPlace(n, () => Effect.die("the process died"))
        const dies = lab.as(lab.process(store, { executor, lawless: true }))(dying(happens(desk)))
        const exit = yield* Effect.exit(lab.elapsing(dies))
        if (Exit.isSuccess(exit)) break
        const before = yield* Effect.orElseSucceed(lab.as(lab.process(store, { lawless: true }))(left), () => [])
        // Otherwise it died before the failure was known.
        if (before[2] === undefined) continue
        deaths++
        for (const gate of desk.gates.values()) gate.resolve()
        yield* lab.elapsing(
          lab.as(process)(
            Effect.gen(function* () {
              const coordinator = yield* Coordinator.Coordinator
              yield* (yield* coordinator.reopen(lab.trip)).resume
            })
          )
        )
        assert.deepStrictEqual([n, ...(yield* lab.as(process)(left))], [n, {}, undefined, undefined])
        assert.deepStrictEqual([n, ...desk.effects], [n, ...whole])
      }
      assert.isAbove(deaths, 3)
    })
  )

  it.effect("is reported with what it waits for, and continues once a person has given that up", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      desk.refuses = "LX1"
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk.tools) })
      yield* lab.elapsing(lab.as(process)(happens(desk)))
      const held = Effect.gen(function* () {
        const transitions = yield* (yield* History.History).transitions(lab.trip)
        const { held } = Report.make(yield* OpenActionStatus.head(lab.trip), transitions)
        return held.map(({ next, tool, why }) => [tool, next.verb, why] as const)
      })
      const waits = "pay (a7) failed: declined; it is to be undone, and that has not begun"
      const [stopped, queued, ...more] = yield* lab.as(process)(held)
      assert.deepStrictEqual(stopped?.slice(0, 2), ["book", "resolve"])
      assert.deepStrictEqual([queued, more], [["pay", "resolve", waits], []])
      const recovered = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* (yield* Coordinator.Coordinator).reopen(lab.trip)
            const { failed = "" } = UndoPlan.open((yield* handle.standing).state) ?? {}
            const data = { action: failed, as: "abandoned", by: "ada", evidence: "the airline gives no refund" }
            yield* handle.propose({ type: "review.decided", author: "user", data })
            yield* handle.flush
            const reported = yield* held
            yield* handle.resume
            return reported
          })
        )
      )
      assert.deepStrictEqual(recovered, [["pay", "resume", waits]])
      assert.strictEqual(desk.effects.at(-1), "cancelled VW1")
      assert.deepStrictEqual(yield* lab.as(process)(left), [{}, undefined, undefined])
    })
  )
})
