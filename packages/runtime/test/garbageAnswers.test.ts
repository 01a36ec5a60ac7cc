/** Answers over HTTP that no service should give: each case ends in a named state, with its evidence, and goes on. */

import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Definition, Readback } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

type Path = "book" | "status" | "record"

/** A booking service of its own, which can be told to answer one of its paths with something else. */
class Service {
  readonly bookings = new Map<string, JsonObject>()
  readonly instead = new Map<Path, (key: string) => string>()
  /** The clock of the process that books, and the times at which its requests to book have arrived. */
  now: () => number = () => 0
  readonly arrivals: Array<number> = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<Service> {
    let service: Service
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { body, status } = service.answer(request.url ?? "/", Buffer.concat(chunks).toString())
        response.writeHead(status).end(body)
      })
    })
    service = new Service(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  answer(url: string, body: string): { readonly status: number; readonly body: string } {
    const [, path = "", key = ""] = url.split("/")
    if (path === "book") this.arrivals.push(this.now())
    if (path === "book" && !this.bookings.has(key)) {
      this.bookings.set(key, { ...JSON.parse(body), id: `B${this.bookings.size + 1}`, key, tenant: "default" })
    }
    const other = this.instead.get(path as Path)
    if (other !== undefined) return { status: 200, body: other(key) }
    const booking = this.bookings.get(key)
    return booking === undefined ? { status: 404, body: "{}" } : { status: 200, body: JSON.stringify(booking) }
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

const packOf = (readback: Partial<Readback> = {}, more: Partial<Definition> = {}) =>
  Result.getOrThrow(
    TaskPack.make({
      ...(lab.definition as Definition),
      ...more,
      tools: {
        ...lab.definition.tools,
        book: {
          ...lab.definition.tools.book,
          times: { sendWithin: "2s", settleAfter: "100ms", keyRetention: "1h" },
          output: { id: "string", price: "int" },
          readback: { source: "airline", expect: ["actual.price == args.price"], within: "100ms", ...readback }
        }
      }
    } as Definition)
  )

const read = async (url: string, init: RequestInit): Promise<Json | undefined> => {
  const response = await fetch(url, init)
  const text = await response.text()
  return response.status === 404 ? undefined : (JSON.parse(text) as Json)
}

const toolsOf = (url: () => string): ToolExecutor.Tools => ({
  ...new lab.World().tools,
  book: {
    execute: async (params: JsonObject, { key, signal }) =>
      (await read(`${url()}/book/${key}`, { method: "POST", body: JSON.stringify(params), signal })) ?? null,
    status: ({ key, signal }) => read(`${url()}/status/${key}`, { signal }),
    readback: ({ key, signal }) => read(`${url()}/record/${key}`, { signal })
  }
})

interface Scene {
  readonly service: Service
  readonly handle: RunHandle.RunHandle
  /** The state of the first action, how it stands, and the class of its discrepancy. */
  readonly ends: Effect.Effect<readonly [string, string, string | undefined], History.HistoryError>
  /** When its attempts began, by the clock of its run. */
  readonly starts: Effect.Effect<ReadonlyArray<number>, History.HistoryError>
  readonly trace: Effect.Effect<string, History.HistoryError>
}

/** Plays a scene in real time. Whatever happened in it, the run goes on, and its trace verifies. */
const scene = (
  body: (scene: Scene) => Effect.Effect<void, History.HistoryError | RunHandle.RunError>,
  pack: TaskPack.TaskPack = packOf()
) =>
  Effect.acquireUseRelease(
    Effect.promise(() => Service.start()),
    (service) =>
      Effect.gen(function* () {
        const store = yield* lab.shared
        const executor = ToolExecutor.fromTools(toolsOf(() => service.url))
        yield* lab.as(lab.process(store, { executor }))(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const history = yield* History.History
            const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
            const all = lab.transitions()
            const provided = Effect.provideService(all, History.History, history)
            yield* body({
              service,
              handle,
              ends: Effect.map(provided, (transitions) => {
                const [first] = ActionHistories.all(transitions).values()
                assert.isDefined(first)
                return [first!.state, Reporting.report(first!).standing, first!.discrepancy] as const
              }),
              starts: Effect.map(provided, (transitions) =>
                transitions.flatMap(({ body, stamp }) => (body.type === "action.started" ? [stamp.asOf] : []))
              ),
              trace: Effect.map(provided, (transitions) => JSON.stringify(transitions))
            })
            assert.strictEqual((yield* handle.propose(lab.note("on")))._tag, "Done")
            assert.deepStrictEqual((yield* StrictReplay.of(lab.trip)).divergences, [])
          })
        )
      }),
    (service) => Effect.promise(() => service.close())
  ).pipe(Effect.runPromise)

const isHeld = (outcome: Outcome, says: string): void => {
  assert.strictEqual(outcome._tag, "Held", JSON.stringify(outcome))
  assert.include(Wording.why(outcome), says)
}

/** Has an action verified again that waits for a person. */
const reopens = (handle: RunHandle.RunHandle) =>
  Effect.gen(function* () {
    for (const [action, open] of Object.entries(OpenActions.of((yield* handle.position).state))) {
      const data = { action, as: "reopened", by: "Ada", evidence: "the service was repaired" }
      if (open?.state === "review_required") yield* handle.propose({ type: "review.decided", author: "user", data })
    }
  })

describe("a service that answers garbage on every path", () => {
  it.each<readonly [string, string, string]>([
    ["a page", "<html>200 OK</html>", "not valid JSON"],
    ["half of an answer", '{"id":"B1","pri', "JSON"],
    ["ten megabytes", JSON.stringify({ id: "x".repeat(10_000_000), price: 80 }), "answer.too_large"],
    ["a list", "[1,2,3]", "[1,2,3]"],
    ["numbers as text", '{"id":7,"price":"eighty"}', "eighty"],
    ["null", "null", "null"]
  ])("such as %s is not believed: the action is held, and its target with it (L7)", (_, garbage, evidence) =>
    scene(({ ends, handle, service, trace }) =>
      Effect.gen(function* () {
        for (const path of ["book", "status", "record"] as const) service.instead.set(path, () => garbage)
        isHeld(yield* handle.propose(lab.book("LX1")), "")
        const [state, standing, discrepancy] = yield* ends
        assert.notInclude(["reconciled_success", "failed", "executing"], state)
        assert.notStrictEqual(standing, "success")
        assert.isDefined(discrepancy)
        assert.include(yield* trace, evidence)
        assert.isBelow((yield* trace).length, 100_000)
        assert.strictEqual((yield* handle.position).state.world["spent"], 0)
        const other = yield* handle.propose({ ...lab.book("LX1"), occurrence: 2, occurrenceBy: "plan" })
        assert.include(Wording.why(other), "target seat/LX1")
        service.instead.clear()
        // A person who has to decide has it verified again.
        yield* reopens(handle)
        const [settled] = yield* handle.resume
        assert.deepInclude(settled, { _tag: "Done", basis: "readback" })
        assert.strictEqual(service.bookings.size, 1)
      })
    )
  )
})

describe("a readback", () => {
  it("leaves verification timed out if it cannot be reached, which is unknown and no success", () =>
    scene(({ ends, handle, service }) =>
      Effect.gen(function* () {
        service.instead.set("record", () => "")
        isHeld(yield* handle.propose(lab.book("LX1")), "could not be read")
        assert.deepStrictEqual((yield* ends).slice(0, 2), ["verification_timeout", "unknown"])
      })
    ))

  it("without the field that a predicate asks about has no answer, and holds", () =>
    scene(({ ends, handle, service, trace }) =>
      Effect.gen(function* () {
        service.instead.set("record", () => '{"id":"B1"}')
        isHeld(yield* handle.propose(lab.book("LX1")), "has no answer")
        assert.strictEqual((yield* ends)[2], "unknown_state")
        assert.include(yield* trace, "expectation.unanswered")
      })
    ))

  it("is an incident, and never a success, if it shows another tenant's record (HS-12, L15)", () =>
    scene(
      ({ ends, handle, service, trace }) =>
        Effect.gen(function* () {
          service.instead.set("record", () => '{"id":"B1","price":80,"tenant":"umbrella"}')
          isHeld(yield* handle.propose(lab.book("LX1")), "wrong_target_modified")
          assert.strictEqual((yield* ends)[2], "wrong_target_modified")
          assert.include(yield* trace, '"incident"')
        }),
      packOf({ scope: { tenant: "actual.tenant" } })
    ))
})

describe("a status query that answers about another tenant's key", () => {
  it("is an incident, and never a success: nothing is sent again (L15)", () =>
    scene(
      ({ ends, handle, service, trace }) =>
        Effect.gen(function* () {
          service.instead.set("book", () => "")
          service.instead.set("status", () => '{"id":"B9","price":80,"tenant":"umbrella"}')
          isHeld(yield* handle.propose(lab.book("LX1")), "wrong_target_modified")
          const [state, standing, discrepancy] = yield* ends
          assert.deepStrictEqual([state, discrepancy], ["review_required", "wrong_target_modified"])
          assert.notStrictEqual(standing, "success")
          assert.include(yield* trace, "freeze_and_alarm")
          assert.strictEqual((yield* handle.position).state.world["spent"], 0)
          const [again] = yield* handle.resume
          assert.strictEqual(again?._tag, "Held")
          assert.strictEqual(service.bookings.size, 1)
        }),
      packOf({ scope: { tenant: "actual.tenant" } })
    ))
})

describe("two actions with one key", () => {
  it("are one if they ask for the same, and the second is refused if it asks for something else (L6)", () =>
    scene(({ handle, service, trace }) =>
      Effect.gen(function* () {
        const outcomes = yield* Effect.all([handle.propose(lab.book("LX1")), handle.propose(lab.book("lx1"))], {
          concurrency: "unbounded"
        })
        for (const { _tag } of outcomes) assert.include(["Done", "Held", "Refused"], _tag)
        assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Done").length, 1)
        const other = yield* handle.propose(lab.book("LX1", 70))
        assert.include(Wording.why(other), "key")
        assert.strictEqual(service.bookings.size, 1)
        assert.include(yield* trace, "intent.refused")
      })
    ))
})

describe("an approval", () => {
  const careful = packOf({}, { approvals: { book: { by: ["manager"], expires: "50ms" } } } as Partial<Definition>)
  const approve = (handle: RunHandle.RunHandle, parked: Outcome) => {
    const review = parked._tag === "Parked" ? parked.review : assert.fail(`expected Parked, found ${parked._tag}`)
    const data = { review, verdict: "approved", by: "Grace", role: "manager" }
    return handle.propose({ type: "review.decided", author: "user", data })
  }

  it("for other arguments is none: the call waits, and nothing is sent", () =>
    scene(
      ({ ends: _, handle, service, trace }) =>
        Effect.gen(function* () {
          yield* approve(handle, yield* handle.propose(lab.book("LX1", 80)))
          assert.strictEqual((yield* handle.propose(lab.book("LX1", 90)))._tag, "Parked")
          assert.include(yield* trace, "approval.other_arguments")
          assert.strictEqual(service.bookings.size, 0)
        }),
      careful
    ))

  it("is none once it has expired, and names its owner", () =>
    scene(
      ({ handle, service, trace }) =>
        Effect.gen(function* () {
          yield* approve(handle, yield* handle.propose(lab.book("LX1")))
          yield* Effect.sleep("60 millis")
          assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Parked")
          assert.include(yield* trace, "approval.expired")
          assert.strictEqual(service.bookings.size, 0)
        }),
      careful
    ))
})

describe("a clock that jumps", () => {
  /** The clock of the process, set forward or back by so much from the n-th look at it on. */
  const jumping =
    (millis: number, after: number, service?: Service) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Clock.Clock, (clock) => {
        let looks = 0
        const shown = () => clock.currentTimeMillisUnsafe() + (looks > after ? millis : 0)
        const now = () => {
          looks++
          return shown()
        }
        if (service !== undefined) service.now = shown
        return Effect.provideService(effect, Clock.Clock, {
          currentTimeMillisUnsafe: now,
          currentTimeMillis: Effect.sync(now),
          currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
          currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
          monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
          monotonicTimeNanos: clock.monotonicTimeNanos,
          sleep: (duration) => clock.sleep(duration)
        })
      })

  const hour = 3_600_000

  it.each([0, 1, 2, 3, 4, 6, 8])("back by an hour, at look %i, holds nothing up and doubles nothing", (after) =>
    scene(({ ends, handle, service, trace }) =>
      Effect.gen(function* () {
        let reads = 0
        const booked = (key: string) => JSON.stringify(service.bookings.get(key) ?? null)
        service.instead.set("record", (key) => (reads++ === 0 ? '{"id":"B1","price":0}' : booked(key)))
        const outcome = yield* handle.propose(lab.book("LX1"))
        assert.include(["Done", "Held"], outcome._tag)
        if (outcome._tag === "Held") {
          yield* reopens(handle)
          yield* handle.resume
        }
        assert.strictEqual((yield* ends)[0], "reconciled_success")
        assert.strictEqual(service.bookings.size, 1)
        const times = [...(yield* trace).matchAll(/"asOf":(\d+)/g)].map(([, time]) => Number(time))
        assert.deepStrictEqual(
          times,
          times.toSorted((one, other) => one - other),
          "time never runs backwards"
        )
      }).pipe(jumping(-hour, after))
    )
  )

  it("forward by an hour, at any look, lets no request arrive that is late, and doubles nothing", async () => {
    const ends: Array<"dropped" | "sent"> = []
    const plays = (after: number) =>
      scene(({ ends: found, handle, service, starts, trace }) =>
        Effect.gen(function* () {
          const outcome = yield* handle.propose(lab.book("LX1"))
          assert.include(["Done", "Held"], outcome._tag)
          assert.isAtMost(service.bookings.size, 1)
          const [state] = yield* found
          if (outcome._tag === "Done") assert.strictEqual(state, "reconciled_success")
          else assert.include(yield* trace, "recovery.decided")
          const started = yield* starts
          const isInTime = (at: number) => started.some((since) => since <= at && at <= since + 2000)
          assert.deepStrictEqual(service.arrivals.filter(isInTime), service.arrivals, `look ${after}`)
          ends.push(service.arrivals.length < started.length ? "dropped" : "sent")
        }).pipe(jumping(hour, after, service))
      )
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 8].map(plays))
    assert.includeMembers(ends, ["dropped", "sent"])
  })
})
