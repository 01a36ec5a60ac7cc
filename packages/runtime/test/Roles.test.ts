import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as English from "@backstitch/wording/English"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Crew from "../src/topology/Crew.ts"
import * as Roles from "../src/topology/Roles.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.press",
    version: "1.0.0",
    tools: { look: { class: "read_only", input: { q: "string" } } },
    topology: { kind: "orchestrator", silence: "30s" }
  })
)

/** A tool that answers when it is told to. */
const slow = (() => {
  let answer = (_: string): void => {}
  const answered = new Promise<string>((resolve) => {
    answer = resolve
  })
  return { answer: (text: string) => answer(text), answered, calls: 0 }
})()

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(
    ToolExecutor.layerFrom({
      look: {
        execute: (params) => {
          const { q } = params as { readonly q: string }
          if (q === "") throw new Error("ask for something")
          if (q === "slow") {
            slow.calls++
            return slow.answered
          }
          return `found ${q}`
        }
      },
      wipe: { execute: () => "wiped" }
    })
  ),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

describe("Roles", () => {
  it.effect("call tools in the name of their agent, and learn why a call failed, was refused, or waits", () =>
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const run = Run.make("press-1")
      const handle = yield* coordinator.open(run, { pack, goal: "look" })
      const at = Roles.at(
        handle,
        {
          finder: async ({ q }: { readonly q: string }, desk) => desk.call("look", { q }),
          reader: async (_: unknown, desk) => desk.call("look"),
          wiper: async (_: unknown, desk) => desk.call("wipe", {})
        },
        English.words
      )
      assert.strictEqual(yield* at("finder", { q: "paper" }, "ann"), "found paper")
      const history = yield* History.History
      const request = (yield* history.transitions(run)).find(({ body }) => body.type === "action.request")
      assert.strictEqual(request?.body.agent, "ann")
      const failed = yield* Effect.flip(at("finder", { q: "" }, "ann"))
      assert.include(failed instanceof Error ? failed.message : "", "look: ")
      const refused = yield* Effect.flip(at("reader", {}, "ann"))
      assert.deepInclude(refused, { _tag: "CallFailed" })
      // A tool without a contract waits for a person: no handoff is lost by that.
      assert.isTrue(Crew.isWaiting(yield* Effect.flip(at("wiper", {}, "ann"))))
      assert.include(String(yield* Effect.flip(at("nobody", {}, "ann"))), "no role nobody")
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("carry a call to its end although they are killed, and the next worker of the task takes it over", () =>
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const handle = yield* coordinator.open(Run.make("press-2"), { pack, goal: "look" })
      let late: Promise<unknown> = Promise.resolve()
      const at = Roles.at(
        handle,
        {
          finder: async (_: unknown, desk) => desk.call("look", { q: "slow" }),
          stubborn: async (_: unknown, desk) => {
            late = new Promise((done) => desk.signal.addEventListener("abort", () => done(undefined))).then(() =>
              desk.call("look", { q: "too late" })
            )
            late.catch(() => {})
            return late
          }
        },
        English.words
      )
      const first = yield* Effect.forkChild(at("finder", {}, "ann"))
      while (slow.calls === 0) yield* Effect.promise(() => new Promise((later) => setImmediate(later)))
      yield* Fiber.interrupt(first)
      const second = yield* Effect.forkChild(at("finder", {}, "bob"))
      yield* Effect.promise(() => new Promise((later) => setImmediate(later)))
      slow.answer("found slow")
      assert.strictEqual(yield* Fiber.join(second), "found slow")
      assert.strictEqual(slow.calls, 1)
      const killed = yield* Effect.forkChild(at("stubborn", {}, "eve"))
      yield* Effect.promise(() => new Promise((later) => setImmediate(later)))
      yield* Fiber.interrupt(killed)
      assert.match(yield* Effect.promise(() => late.then(String, String)), /was killed, and calls nothing more/)
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("end with a call that waits although they never answer, and call nothing behind their end", () =>
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const handle = yield* coordinator.open(Run.make("press-3"), { pack, goal: "look" })
      let desk: Roles.Desk | undefined
      let isOver = false
      const at = Roles.at(
        handle,
        {
          hung: async (_: unknown, mine) => {
            desk = mine
            await mine.call("wipe", {}).catch(() => new Promise(() => {}))
          },
          stubborn: async (_: unknown, { call }) => {
            for (let tries = 0; ; tries++) {
              try {
                return await call("wipe", { tries })
              } catch {
                if (isOver) throw new Error("given up")
              }
            }
          }
        },
        English.words
      )
      assert.isTrue(Crew.isWaiting(yield* Effect.flip(at("hung", {}, "ann"))))
      assert.isTrue(desk?.signal.aborted)
      const late = yield* Effect.promise(async () => desk?.call("look", { q: "paper" }).then(String, String))
      assert.match(late ?? "", /the role has ended, and calls nothing more/)
      assert.isTrue(Crew.isWaiting(yield* Effect.flip(at("stubborn", {}, "ann"))))
      isOver = true
      const asked = (yield* handle.transitions(1)).filter(({ body }) => body.type === "review.requested")
      assert.strictEqual(asked.length, 2)
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it("are named by the topology that needs them", () => {
    const declared = { kind: "debate", agents: { judge: "referee" }, order: [] } as const
    assert.deepStrictEqual(Roles.needed(declared), ["drafter", "critic", "judge"])
    assert.deepStrictEqual(Roles.needed({ ...declared, agents: {} }), ["drafter", "critic"])
    assert.deepStrictEqual(Roles.needed({ ...declared, kind: "react" }), [])
    assert.deepStrictEqual(Roles.needed({ ...declared, kind: "pipeline", order: ["a", "b"] }), ["a", "b", "judge"])
  })
})
