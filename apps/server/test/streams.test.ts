import * as Http from "node:http"
import * as Problem from "@backstitch/api/Problem"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Limits from "../src/Limits.ts"
import * as FeedStream from "../src/stream/FeedStream.ts"
import * as OpenStreams from "../src/stream/OpenStreams.ts"
import * as Draining from "../src/upkeep/Draining.ts"
import { recorded, serve } from "./served.ts"

const { keyStreamsMax, streamsMax, tenantStreamsMax } = Limits.refusing
const { streamEventsMax } = Limits.pacing

/** The text of a stream of events, in the pieces that are written. */
const pieces = (events: Stream.Stream<FeedStream.FeedEvent>, conditions: FeedStream.Conditions) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { body } = yield* FeedStream.response(events, conditions)
      if (body._tag !== "Stream") throw new Error("the answer has to be a stream")
      return Stream.decodeText(body.stream)
    })
  )

const event = (tick: number): FeedStream.FeedEvent => ({ id: String(tick), data: { tick } })

/** Opens a stream over HTTP. The answer is not read. */
const opened = (address: string, key: string): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    Http.get(`${address}/v1/runs/trip-43/events?from=1`, { headers, agent: false }, resolve).on("error", reject)
  })

/** The rest of a stream, once it has ended. */
const ended = async (answer: Http.IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of answer) text += String(piece)
  return text
}

describe("a stream of events", () => {
  it.live("is refused beyond those that a key may have open, until one is closed", () =>
    Effect.gen(function* () {
      const { address, ask, key } = yield* serve()
      const [operator, other] = [yield* key("default", "operator"), yield* key("default", "viewer")]
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      const open = () => Effect.promise(() => opened(address, operator))
      const answers = yield* Effect.forEach(Array.from({ length: keyStreamsMax }), open)
      assert.deepStrictEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
      const refused = yield* open()
      assert.deepStrictEqual([refused.statusCode, refused.headers["retry-after"]], [429, "1"])
      assert.include(yield* Effect.promise(() => ended(refused)), '"tag":"StreamsTooMany"')
      const others = yield* Effect.promise(() => opened(address, other))
      assert.strictEqual(others.statusCode, 200)
      // Another request of the key is answered meanwhile.
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/caller", { key: operator }))).status, 200)
      answers.pop()!.destroy()
      let again = yield* open()
      for (let attempt = 0; attempt < 200 && again.statusCode !== 200; attempt++) {
        again.destroy()
        yield* Effect.sleep(20)
        again = yield* open()
      }
      assert.strictEqual(again.statusCode, 200)
      for (const answer of [...answers, others, again]) answer.destroy()
    })
  )

  it.live("is refused beyond those of a tenant and of the process, whose places come back", () =>
    Effect.gen(function* () {
      const streams = yield* OpenStreams.make
      const open = (caller: number, tenant: string) =>
        streams.open({ key: `${Math.floor(caller / keyStreamsMax)}`, tenant: Run.make("any", tenant).tenant })
      const scope = yield* Scope.make()
      const refused = (caller: number, tenant: string) =>
        Effect.map(Effect.flip(Effect.scoped(open(caller, tenant))), ({ detail, status }) => `${status} ${detail}`)
      for (let caller = 0; caller < tenantStreamsMax; caller++) yield* Scope.provide(open(caller, "acme"), scope)
      assert.match(yield* refused(tenantStreamsMax, "acme"), /^429 A tenant may have 896 streams open/)
      // A key of another tenant, of which the first one has taken what it could.
      for (let caller = tenantStreamsMax; caller < streamsMax; caller++)
        yield* Scope.provide(open(caller, "globex"), scope)
      assert.match(yield* refused(streamsMax, "globex"), /^429 The server has its 1024 streams open/)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.scoped(open(tenantStreamsMax, "acme"))
    })
  )

  it.live("reads no further than its reader does", () =>
    Effect.gen(function* () {
      const page = 2 * streamEventsMax + 1
      let read = 0
      const events = Stream.fromPull(
        Effect.succeed(
          Effect.sync(() => {
            const ticks = Array.from({ length: page }, (_, index) => event(read + index + 1))
            read += page
            return ticks as [FeedStream.FeedEvent, ...Array<FeedStream.FeedEvent>]
          })
        )
      )
      const pause = Effect.sleep(5)
      const seen: Array<readonly [number, number]> = []
      const text = pieces(events, { inForce: Effect.void, afterOthers: Effect.void, cut: Effect.void })
      yield* Stream.runForEach(Stream.take(text, 5), (piece) =>
        Effect.map(pause, () => void seen.push([piece.match(/^id: /gm)?.length ?? 0, read]))
      )
      const full = streamEventsMax
      assert.deepStrictEqual(seen, [
        [0, 0],
        [full, page],
        [full, page],
        [1, page],
        [full, 2 * page]
      ])
    }).pipe(Effect.provide(Draining.layer))
  )

  it.live("sends nothing once its key is not in force", () =>
    Effect.gen(function* () {
      let isInForce = true
      const inForce = Effect.suspend(() =>
        isInForce ? Effect.void : Effect.fail(Problem.make("CallerUnknown", 401, { detail: "revoked" }))
      )
      const events = Stream.rechunk(Stream.map(Stream.range(1, 10), event), 1)
      const told: Array<string> = []
      yield* Stream.runForEach(pieces(events, { inForce, afterOthers: Effect.void, cut: Effect.void }), (piece) =>
        Effect.sync(() => {
          told.push(piece)
          if (piece.startsWith("id: 2\n")) isInForce = false
        })
      )
      assert.lengthOf(told, 4)
      assert.match(told.at(-1)!, /^event: problem\ndata: .*"tag":"CallerUnknown"/)
    }).pipe(Effect.provide(Draining.layer))
  )

  it.live("ends when its key is revoked, though no commit comes", () =>
    Effect.gen(function* () {
      const { address, ask, key } = yield* serve()
      const [admin, operator] = [yield* key("default", "admin"), yield* key("default", "operator")]
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      const stream = yield* Effect.promise(() => opened(address, operator))
      const text = yield* Effect.forkChild(Effect.promise(() => ended(stream)))
      const id = /^bsk_([0-9a-f]+)_/.exec(operator)![1]!
      const revoked = yield* Effect.promise(() => ask(`/v1/keys/${id}`, { method: "DELETE", key: admin }))
      assert.strictEqual(revoked.status, 200)
      assert.match(yield* Fiber.join(text), /event: problem\ndata: .*"tag":"CallerUnknown"[^\n]*\n\n$/)
    })
  )

  it.live("goes on only after the process has looked at its connections", () =>
    Effect.gen(function* () {
      const { afterOthers } = yield* OpenStreams.make
      let looks = 0
      const look = (): void => {
        looks++
        handle = setImmediate(look)
      }
      let handle = setImmediate(look)
      const seen = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.map(afterOthers, () => looks), {
        concurrency: "unbounded"
      })
      clearImmediate(handle)
      assert.strictEqual(new Set(seen).size, 20)
    })
  )

  it.live("ends after its time, and is cut if its reader takes nothing, so that its place is free", () =>
    Effect.gen(function* () {
      let isCut = false
      const cut = Effect.sync(() => {
        isCut = true
      })
      const given = { inForce: Effect.void, afterOthers: Effect.void, cut }
      const patient = { stallMillis: 60_000, lifeMillis: 20 }
      const text = yield* Stream.mkString(pieces(Stream.never, given)).pipe(
        Effect.provideService(FeedStream.Times, patient)
      )
      assert.match(text, /^retry: \d+\n\n$/)
      const strict = { stallMillis: 20, lifeMillis: 60_000 }
      const events = Stream.rechunk(Stream.map(Stream.range(1, 10), event), 1)
      yield* Stream.runForEach(Stream.take(pieces(events, given), 2), (piece) =>
        piece.startsWith("id: 1\n") ? Effect.repeat(Effect.sleep(5), { until: () => isCut, times: 2000 }) : Effect.void
      ).pipe(Effect.provideService(FeedStream.Times, strict))
      assert.isTrue(isCut)
    }).pipe(Effect.provide(Draining.layer))
  )
})
