import type * as SelfRecovery from "@backstitch/contracts/SelfRecovery"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import * as Leases from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as SelfRecovering from "../src/agent/SelfRecovering.ts"
import * as LiveRun from "../src/LiveRun.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"
import { Desk, definition, find, looks, processOf, reserve } from "./slots.ts"

const packOf = (recovery?: Partial<SelfRecovery.SelfRecovery>, changes: object = {}) =>
  Result.getOrThrow(TaskPack.make({ ...definition, ...changes, ...(recovery === undefined ? {} : { recovery }) }))

/** Fills two slots. Its desk refuses `1` a number of times, and it gives up where it is told of a failure. */
class Filler {
  readonly desk = new Desk()
  refusals = 1
  readonly seen: Array<Outcome["_tag"] | undefined> = []

  constructor(refusals: number) {
    this.refusals = refusals
  }

  readonly next = async ({ last, state: { working } }: Planner.View): Promise<Proposal | undefined> => {
    this.seen.push(last?._tag)
    if (last !== undefined && last._tag !== "Done") return undefined
    const found = [...(working["slots"] as Iterable<readonly [string, string]>)].map(([slot]) => slot).sort()
    const slot = found.at(-1)
    if (working["stage"] === "drafted") return undefined
    if (working["stage"] !== "found" || slot === undefined)
      return found.length < 2 ? find(String(found.length)) : { tool: "draft" }
    if (slot === "1" && this.refusals-- > 0) this.desk.refused.add("1")
    else this.desk.refused.delete("1")
    return reserve(slot)
  }
}

const acts = (
  store: Parameters<typeof lab.process>[0],
  filler: Pick<Filler, "desk" | "next">,
  pack: TaskPack.TaskPack
) =>
  Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, { pack, goal: "goal" })).pipe(
    Effect.flatMap((handle) => Agent.run(handle)),
    Effect.provide(Planner.layerFrom(filler.next)),
    lab.as(processOf(store, filler.desk)),
    lab.elapsing
  )

const restores = (trace: ReadonlyArray<{ readonly body: { readonly type: string } }>) =>
  trace.filter(({ body }) => body.type === "recovery.restored").length

describe("an agent whose contract asks for recovery", () => {
  it.effect("is put back by its own loop, and asked again; without the section it is told of the failure", () =>
    Effect.gen(function* () {
      const own = new Filler(1)
      const store = yield* lab.shared
      const outcome = yield* acts(store, own, packOf({ policy: "entry" }))
      assert.strictEqual(outcome?._tag, "Done")
      const { differs, divergences, plan, trace, working } = yield* lab.as(processOf(store, own.desk))(looks)
      assert.deepStrictEqual([differs, divergences, plan], [[], [], undefined])
      assert.deepStrictEqual(working, { slots: { 0: "monday 0", 1: "monday 1" }, stage: "drafted" })
      assert.deepStrictEqual(own.desk.effects, ["reserve 0", "reserve 1"])
      assert.notInclude(own.seen, "Failed")
      assert.strictEqual(restores(trace), 1)
      assert.deepInclude(trace.find(({ body }) => body.type === "recovery.restored")?.body.data, {
        because: { code: "cause.failed", args: { action: "a14", error: "tool_exception", tool: "reserve" } },
        policy: { consumers: "checkpoint", name: "entry" }
      })

      const told = new Filler(1)
      const plain = yield* lab.shared
      assert.strictEqual((yield* acts(plain, told, packOf()))?._tag, "Failed")
      assert.strictEqual(restores((yield* lab.as(processOf(plain, told.desk))(looks)).trace), 0)
    })
  )

  it.effect("is held once the tries of its subtask are used up, and again when it is resumed", () =>
    Effect.gen(function* () {
      const filler = new Filler(9)
      const store = yield* lab.shared
      const pack = packOf({ policy: "entry", tries: 2 })
      const why = { instance: "slot::1::0", reasons: [], fallback: "person", tool: "reserve", tries: 2 } as const
      for (const turns of [8, 0]) {
        filler.seen.length = 0
        const outcome = yield* acts(store, filler, pack)
        assert.deepStrictEqual(outcome?._tag === "Held" && outcome.why, { code: "subtask.blocked", args: why })
        assert.lengthOf(filler.seen, turns)
        assert.isFalse(SelfRecovering.isRerun(outcome))
      }
      const { differs, trace } = yield* lab.as(processOf(store, filler.desk))(looks)
      assert.deepStrictEqual([differs, restores(trace)], [[], 2])
      // To resume leads to the same hold, so the receipt names the step of a person.
      const again = yield* acts(store, filler, pack)
      const { next, why: told } = yield* lab.as(processOf(store, filler.desk))(Receipt.make(lab.trip, again))
      assert.deepStrictEqual(next, [{ run: "trip", verb: "recover" }])
      assert.include(told, "it went back 2 times by itself, and may not again. A person decides")
      assert.deepStrictEqual(filler.desk.effects, ["reserve 0"])
    })
  )

  it.effect("is held by what blocks a restore, and told of a failure that is of no subtask", () =>
    Effect.gen(function* () {
      const { form: _, slot } = definition.skeletons
      const { entity: __, ...whole } = slot
      const skeletons = { slot: { ...whole, outputs: ["working.slots"], exit: "false", effects: "forbid" } }
      const pack = packOf({ policy: "entry", tries: 3, blocked: "rerun" }, { skeletons })
      const filler = new Filler(1)
      const blocked = yield* acts(yield* lab.shared, filler, pack)
      assert.deepStrictEqual(blocked?._tag === "Held" && blocked.why.args, {
        instance: "slot::null::0",
        reasons: ["irreversible_effect_policy"],
        fallback: "rerun",
        tool: "reserve"
      })
      assert.isTrue(SelfRecovering.isRerun(blocked))
      const printer = new Filler(0)
      printer.desk.isBroken = true
      const renders = { ...printer, next: async ({ last }: Planner.View) => (last ? undefined : { tool: "render" }) }
      assert.strictEqual((yield* acts(yield* lab.shared, renders, pack))?._tag, "Failed")
    })
  )

  it.effect("is restored once, wherever its process is killed meanwhile (L14)", () =>
    Effect.gen(function* () {
      let isWhole = false
      for (let place = 14; !isWhole; place += 3) {
        const filler = new Filler(1)
        const store = yield* lab.shared
        const pack = packOf({ policy: "entry" })
        const killed = lab.atPlace(place, () => Effect.die("killed"))
        const exit = yield* Effect.exit(killed(acts(store, filler, pack)))
        yield* acts(store, filler, pack)
        const { differs, plan, trace, working } = yield* lab.as(processOf(store, filler.desk))(looks)
        assert.deepStrictEqual([place, differs, plan], [place, [], undefined])
        assert.deepStrictEqual([place, restores(trace)], [place, 1])
        assert.deepStrictEqual([place, filler.desk.effects], [place, ["reserve 0", "reserve 1"]])
        assert.strictEqual(working["stage"], "drafted")
        isWhole = exit._tag === "Success"
      }
    })
  )

  it.effect("does its task again in a fork of the beginning where nothing may be restored, and no effect twice", () =>
    Effect.gen(function* () {
      const filler = new Filler(1)
      const store = yield* lab.shared
      const pack = packOf({ blocked: "rerun", tries: 0 })
      const live = yield* LiveRun.begin(lab.trip, { pack, goal: "goal" }).pipe(
        Effect.provide(Planner.layerFrom(filler.next)),
        lab.as(processOf(store, filler.desk)),
        lab.elapsing,
        Effect.provide(Leases.layerMemory)
      )
      assert.deepStrictEqual([live.rerunOf?.receipt.run, live.rerunOf?.receipt.status], ["trip", "held"])
      assert.match(live.rerunOf?.receipt.why ?? "", /run the task again: keys keep its effects from happening twice/)
      const again = Run.make("trip-again")
      assert.strictEqual(live.receipt.run, again.id)
      assert.deepStrictEqual(filler.desk.effects, ["reserve 0", "reserve 1"])
      const { divergences, state } = yield* lab.as(processOf(store, filler.desk))(StrictReplay.of(again))
      assert.deepStrictEqual(divergences, [])
      assert.strictEqual(State.sectionToJson(state.working)["stage"], "drafted")
    })
  )
})
