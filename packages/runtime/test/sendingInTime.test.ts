/**
 * Requests and answers that are late, over the whole runtime: what stands still between its start and its sending, a
 * tool that takes its time before it sends, and answers that tell of an earlier moment (decisions 0007, 0011, 0036).
 */
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "2s", settleAfter: "300ms", keyRetention: "24h" }

const aboutOrder = {
  class: "high_risk_external",
  idempotency: "effectful",
  input: { order: "string" },
  target: "'order/' + args.order",
  identity: { scope: "goal", fields: [{ order: "exact" }] },
  times,
  readback: { source: "bank", expect: ["actual.order == args.order"], within: "1s" }
} as const

/** A bank that recognises no key, and shows under a key or an order what it has paid. */
const packOf = (asked: "status" | "readback") =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.payments",
      version: "1.0.0",
      tools: {
        pay: {
          ...aboutOrder,
          ...(asked === "status" ? { status: "by_key" } : {}),
          undo: { class: "K", by: "refund", with: { order: "args.order" } }
        },
        refund: { ...aboutOrder, undo: "X" }
      }
    } as Definition)
  )

interface Payment {
  readonly key: string | undefined
  readonly order: string
  readonly by: string
}

type Sends = (context: ToolExecutor.ToolContext, pay: () => Payment) => Promise<unknown>

/** A bank over the clock of the test. */
class Bank {
  readonly paid: Array<Payment> = []
  readonly clock: Clock.Clock
  readonly refunded: Array<string> = []
  /** The time that an answer to a question takes, which tells of the moment of the question. */
  answersAfter = 0
  /** The next question is answered as if there were no payment. */
  isBehind = false

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  later(millis: number): Promise<void> {
    return Effect.runPromise(this.clock.sleep(Duration.millis(millis)))
  }

  tools(by: string, sends: Sends = async (_, pay) => pay()): ToolExecutor.Tools {
    const asked = async ({ key }: ToolExecutor.ToolContext, { order }: { readonly order: string }) => {
      const found = this.isBehind ? undefined : this.paid.find((each) => each.key === key && each.order === order)
      this.isBehind = false
      await this.later(this.answersAfter)
      return found && { order: found.order }
    }
    return {
      pay: {
        execute: async ({ order }: { readonly order: string }, context) => {
          const pay = () => {
            const payment = { key: context.key, order, by }
            this.paid.push(payment)
            return payment
          }
          await sends(context, pay)
          return { order }
        },
        status: (context, params) => asked(context, params),
        readback: (context, params) => asked(context, params)
      },
      refund: {
        execute: ({ order }: { readonly order: string }) => {
          this.refunded.push(order)
          return { order }
        },
        readback: async (_, { order }: { readonly order: string }) =>
          this.refunded.includes(order) ? { order } : undefined
      }
    }
  }
}

const makeBank = Effect.map(Clock.Clock, (clock) => new Bank(clock))

const standsStill = (at: FaultPoint.PointName, millis: number) => {
  let isOver = false
  return Effect.provideService(FaultPoint.FaultPoint, (place: FaultPoint.PointName) => {
    if (place !== at || isOver) return Effect.void
    isOver = true
    return Effect.sleep(millis)
  })
}

const opening = (pack: TaskPack.TaskPack) =>
  Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, { pack, goal: "goal" }))

const payment = { tool: "pay", params: { order: "4711" } }

/** A process pays; 200 ms later another one begins to recover whatever it finds open, until both have ended. */
const paidBesides = (
  bank: Bank,
  {
    asked = "status",
    millis = 0,
    sends
  }: { readonly asked?: "status" | "readback"; readonly millis?: number; readonly sends?: Sends }
) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const pack = packOf(asked)
    const processOf = (by: string, sends?: Sends) =>
      lab.as(lab.process(store, { executor: ToolExecutor.fromTools(bank.tools(by, sends)) }))
    const first = Effect.flatMap(opening(pack), (handle) => handle.propose(payment)).pipe(
      standsStill("effect/before", millis),
      processOf("P1", sends)
    )
    const second = Effect.gen(function* () {
      yield* Effect.sleep(200)
      const handle = yield* opening(pack)
      for (let n = 0; n < 40; n++) {
        yield* handle.resume
        yield* Effect.sleep(100)
      }
    }).pipe(processOf("P2"))
    return yield* lab.elapsing(
      Effect.gen(function* () {
        const paying = yield* Effect.forkChild(first)
        yield* second
        const outcome = yield* Fiber.join(paying)
        const trail = yield* lab.as(lab.process(store))(lab.transitions())
        return { outcome, attempts: trail.filter(({ body }) => body.type === "action.started").length }
      })
    )
  })

describe("a request", () => {
  it.effect("is dropped by a process that stood still until its time was over (L14)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { world }))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(lab.book("LX1"))).pipe(
          standsStill("effect/before", 3001),
          lab.elapsing
        )
      )
      // It asks first what became of the attempt, and sends the next one.
      assert.strictEqual(world.log[0], "ask")
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
    })
  )

  it.effect("acts once although its tool takes its time to send, and another process has given it up (L14)", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const told: Array<ToolExecutor.ToolContext> = []
      const sends: Sends = async (context, pay) => {
        const by = bank.clock.currentTimeMillisUnsafe() + context.deadlineMillis
        told.push(context)
        await bank.later(1900)
        if (context.signal.aborted || bank.clock.currentTimeMillisUnsafe() > by) throw new Error("dropped")
        pay()
      }
      const { attempts } = yield* paidBesides(bank, { millis: 600, sends })
      assert.deepStrictEqual(
        bank.paid.map(({ by }) => by),
        ["P2"]
      )
      assert.strictEqual(attempts, 2)
      const [{ deadlineMillis } = { deadlineMillis: 0 }] = told
      assert.isAtMost(deadlineMillis, 1400)
    })
  )

  it.effect("is not sent by whatever a tool hands its signal to (L14)", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const sends: Sends = async ({ signal }, pay) => {
        await bank.later(1900)
        signal.throwIfAborted()
        pay()
      }
      yield* paidBesides(bank, { millis: 600, sends })
      assert.deepStrictEqual(
        bank.paid.map(({ by }) => by),
        ["P2"]
      )
    })
  )

  it.effect("sent in time is answered after its time to be sent: that is evidence, too", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const sends: Sends = async (_, pay) => {
        await bank.later(1000)
        pay()
        await bank.later(900)
      }
      const { attempts, outcome } = yield* paidBesides(bank, { millis: 600, sends })
      assert.strictEqual(outcome._tag, "Done")
      assert.deepStrictEqual([bank.paid.length, attempts], [1, 1])
    })
  )
})

describe("an answer", () => {
  for (const asked of ["status", "readback"] as const) {
    it.effect(`to a question (${asked}) tells of the moment at which it was asked for, not of its own (L14)`, () =>
      Effect.gen(function* () {
        const bank = yield* makeBank
        // Sent at the last moment, and done within settleAfter; the answer is lost.
        const sends: Sends = async (_, pay) => {
          await bank.later(2200)
          pay()
          throw new Error("the connection was cut")
        }
        bank.answersAfter = 900
        yield* paidBesides(bank, { asked, sends })
        assert.deepStrictEqual(
          bank.paid.map(({ by }) => by),
          ["P1"]
        )
      })
    )
  }
})

describe("an act that is to be undone", () => {
  it.effect("is not believed to be absent by a question that was put while it could still arrive (L5)", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(bank.tools("P1")) })
      const undoing = Effect.gen(function* () {
        const handle = yield* opening(packOf("status"))
        assert.strictEqual((yield* handle.propose(payment))._tag, "Done")
        yield* Effect.sleep(1000)
        bank.isBehind = true
        bank.answersAfter = 1800
        return yield* handle.undo({ actions: ["a2"], because: "it was not wanted", cause: "revision" })
      })
      const outcome = yield* lab.as(process)(lab.elapsing(undoing))
      assert.deepStrictEqual([outcome._tag, bank.refunded], ["Done", ["4711"]])
    })
  )
})

describe("a local transaction", () => {
  const seats = Result.getOrThrow(
    TaskPack.make({
      pack: "acme.seats",
      version: "1.0.0",
      tools: {
        assign: {
          class: "low_risk_internal",
          input: { holder: "string" },
          target: "'seat'",
          identity: { scope: "goal", fields: [{ holder: "name" }] },
          times,
          transaction: "local",
          readback: { source: "seats", expect: ["actual.holder == args.holder"], within: "1s" },
          undo: "X"
        }
      }
    } as Definition)
  )

  /** A table with one seat, whose store takes its time to commit and to answer. */
  class Seat {
    readonly ends: Array<string> = []
    readonly clock: Clock.Clock
    readonly takes: { readonly commit: number; readonly read: number }
    holder = ""

    constructor(clock: Clock.Clock, takes = { commit: 0, read: 0 }) {
      this.clock = clock
      this.takes = takes
    }

    get tools(): ToolExecutor.Tools {
      const later = (millis: number) => Effect.runPromise(this.clock.sleep(Duration.millis(millis)))
      return {
        assign: ToolExecutor.transactional({
          open: (params: { readonly holder: string }) => ({
            output: { rows: 1 },
            read: () => params,
            commit: async () => {
              await later(this.takes.commit)
              this.ends.push("commit")
              this.holder = params.holder
            },
            rollback: () => this.ends.push("roll back")
          }),
          readback: async () => {
            const { holder } = this
            await later(this.takes.read)
            return { holder }
          }
        })
      }
    }
  }

  const assigning = Effect.flatMap(opening(seats), (handle) =>
    handle.propose({ tool: "assign", params: { holder: "Ada" } })
  )

  for (const [millis, end] of [
    [1500, "commit"],
    [2001, "roll back"]
  ] as const) {
    it.effect(`of a process that stood still for ${millis} ms before its commit ends with: ${end} (L14)`, () =>
      Effect.gen(function* () {
        const seat = new Seat(yield* Clock.Clock)
        const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(seat.tools) })
        const outcome = yield* assigning.pipe(standsStill("conclude/before", millis), lab.elapsing, lab.as(process))
        assert.deepStrictEqual(seat.ends, [end])
        assert.strictEqual(outcome._tag, end === "commit" ? "Done" : "Failed")
      })
    )
  }

  it.effect("is not believed to have left nothing by a record that was asked for before its commit (L14)", () =>
    Effect.gen(function* () {
      const seat = new Seat(yield* Clock.Clock, { commit: 700, read: 700 })
      const store = yield* lab.shared
      const process = lab.process(store, { executor: ToolExecutor.fromTools(seat.tools) })
      // The commit is sent at 1.5 s at the earliest, and done 0.7 s later; the other process reads until then.
      const first = assigning.pipe(standsStill("conclude/before", 800), lab.as(process))
      const second = Effect.gen(function* () {
        yield* Effect.sleep(200)
        const handle = yield* opening(seats)
        for (let n = 0; n < 40; n++) {
          yield* handle.resume
          yield* Effect.sleep(50)
        }
      }).pipe(lab.as(lab.process(store, { executor: ToolExecutor.fromTools(seat.tools) })))
      yield* lab.elapsing(Effect.all([first, second], { concurrency: 2 }))
      const all = yield* lab.as(lab.process(store))(lab.transitions())
      assert.deepStrictEqual([seat.ends, seat.holder], [["commit"], "Ada"])
      const settled = all.filter(({ body }) => body.type === "action.reconciled")
      assert.deepStrictEqual(
        settled.map(({ body }) => body.result?.status),
        ["ok"]
      )
    })
  )
})
