import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Events from "./events.ts"
import * as Examples from "./examples.ts"
import * as Places from "./places.ts"
import { type Asked, recorded, serve } from "./served.ts"

// biome-ignore lint/suspicious/noExplicitAny: what a document holds is what is tested
type Json = any

const sent = recorded("trip-43")
const toBasel = { changes: [{ change: "set", clause: "city", value: "Basel" }] }

describe.each(Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]))("a revision over HTTP, on %s", (_, place) => {
  it.live(
    "is planned, recorded in the name of the key, and absorbed before the agent of a waiting run acts again",
    () =>
      Effect.gen(function* () {
        const { desk, module } = yield* Examples.place("event-planning", "invite")
        const served = yield* serve(yield* place, { events: module })
        const { address, key } = served
        const viewer = yield* key("default", "viewer")
        const operator = yield* key("default", "operator", { name: "Otto" })
        const told = served.as<Json>(operator, "/v1")
        const refused = (path: string, asked: Asked) =>
          Effect.map(told(path, asked), ({ body, status }) => [status, body.tag])
        const events = `${address}/v1/runs/event-7/events`
        yield* told("/runs", { json: { run: "event-7", agent: "events" } })
        yield* Examples.until(served, { key: operator, run: "event-7", doing: "waiting" })
        const seen = yield* told("/runs/event-7")

        const goal = yield* told("/runs/event-7/goal", { key: viewer })
        assert.deepInclude(goal.body.clauses[0], { clause: "budget", value: 2000, holds: true })
        assert.deepStrictEqual(yield* refused("/runs/event-7/goal/plan", { json: {} }), [400, "NothingPending"])
        const { body: plan } = yield* told("/runs/event-7/goal/plan", { key: viewer, json: toBasel })
        assert.deepStrictEqual(
          [plan.possible, plan.undo.map(({ tool }: Json) => tool)],
          [true, ["order_food", "book_hall"]]
        )
        // A plan of somebody who may not revise records nothing, and neither does a revision that is refused.
        const misspelt = { changes: [{ change: "set", clause: "citty", value: "Basel" }] }
        const path = "/runs/event-7/revisions"
        assert.deepStrictEqual(yield* refused(path, { key: viewer, json: toBasel }), [403, "RoleInsufficient"])
        assert.deepStrictEqual(yield* refused(path, { json: misspelt }), [422, "RevisionRefused"])
        assert.deepStrictEqual(yield* refused(path, { json: { changes: [] } }), [400, "RevisionEmpty"])
        assert.deepStrictEqual(yield* refused(path, { json: { ...toBasel, keeps: ["a1"] } }), [400, "AnswerUnasked"])
        assert.deepStrictEqual(yield* refused(path, { json: { words: "somewhere else" } }), [422, "WordsUnread"])
        const old = { json: toBasel, headers: { "if-match": '"1"' } }
        assert.deepStrictEqual(yield* refused(path, old), [412, "TickUnmatched"])
        assert.strictEqual((yield* told("/runs/event-7")).etag, seen.etag)

        const rehearsal = `${path}/rehearsal`
        const said = { json: { words: "Rather in Basel" } }
        assert.deepStrictEqual(yield* refused(rehearsal, { ...said, key: viewer }), [403, "RoleInsufficient"])
        assert.deepStrictEqual(yield* refused(rehearsal, { json: { words: "somewhere else" } }), [422, "WordsUnread"])
        const { body: rehearsed } = yield* told(rehearsal, said)
        assert.deepInclude(rehearsed, { ...toBasel, done: false, followUp: null, outcome: null })
        assert.deepStrictEqual(rehearsed.plan.undo, plan.undo)
        assert.strictEqual((yield* told("/runs/event-7")).etag, seen.etag)

        const write = {
          json: { words: "Rather in Basel", by: "nobody" },
          headers: { "idempotency-key": "revise-1", "if-match": seen.etag! }
        }
        const revised = yield* told(path, write)
        assert.deepInclude(revised.body, { ...toBasel, done: true, followUp: null, outcome: null })
        assert.deepStrictEqual(revised.body.plan.undo, plan.undo)
        assert.deepStrictEqual((yield* told(path, write)).body, revised.body)

        // The run waited for an approval to invite to Bern. It goes on by itself, and asks about Basel.
        const types = (yield* Events.until(events, operator, "review.requested", seen.etag!.slice(1, -1))).map(
          ({ type }) => type
        )
        assert.deepStrictEqual(types.slice(0, 2), ["revision.injected", "revision.absorbed"])
        const { approvals } = (yield* told("/approvals")).body
        assert.deepStrictEqual(approvals.at(-1).params, { guest: "Ada", hall: "Messe" })
        assert.deepStrictEqual(desk<Json>().done, [
          ...["booked hall Casino", "booked band Trio", "ordered food for Casino"],
          ...["cancelled food for Casino", "cancelled hall Casino"],
          ...["booked hall Messe", "ordered food for Messe"]
        ])
        const { body: revisedGoal } = yield* told("/runs/event-7/goal")
        assert.deepInclude(revisedGoal.revisions[0], { by: "Otto", said: "Rather in Basel", absorbed: true })
      })
  )
})

describe("a revision over HTTP", () => {
  it.live("waits in a run that nobody works on, and comes to no run that was cancelled or only sent", () =>
    Effect.gen(function* () {
      const { module } = yield* Examples.place("event-planning", "book_band")
      const served = yield* serve(undefined, { events: module })
      const { key } = served
      const operator = yield* key("default", "operator", { name: "Otto" })
      const told = served.as<Json>(operator, "/v1")
      yield* told("/runs", { json: { run: "event-7", agent: "events" } })
      yield* Examples.until(served, { key: operator, run: "event-7", doing: "waiting" })
      const { body: shown } = yield* told("/runs/event-7")
      yield* told("/runs/event-7/forks", { json: { at: shown.transitions, run: "event-8" } })
      const waiting = yield* told("/runs/event-8/revisions", { json: toBasel })
      assert.deepInclude(waiting.body, { run: "event-8", ...toBasel, done: true })
      const { revisions } = (yield* told("/runs/event-8/goal")).body
      assert.deepInclude(revisions[0], { by: "Otto", absorbed: false })
      const again = yield* told("/runs/event-8/revisions", { json: toBasel })
      assert.deepStrictEqual([again.status, again.body.tag], [400, "RevisionEmpty"])
      // Nobody who could turn words into changes is there.
      const words = yield* told("/runs/event-8/revisions", { json: { words: "Basel" } })
      assert.deepStrictEqual([words.status, words.body.tag], [422, "WordsUnread"])

      yield* told("/runs/event-7/cancel", { json: { reason: "no event" } })
      const cancelled = yield* told("/runs/event-7/revisions", { json: toBasel })
      assert.deepStrictEqual([cancelled.status, cancelled.body.tag], [409, "RunEnded"])
      yield* told("/imports", { lines: sent })
      const foreign = yield* told("/runs/trip-43/revisions", { json: toBasel })
      assert.deepStrictEqual([foreign.status, foreign.body.tag], [409, "RunForeign"])
    })
  )

  it.live("is refused with a valid problem, whatever its changes hold, and leaves the run as it is", () =>
    Effect.gen(function* () {
      const { module } = yield* Examples.place("event-planning", "find")
      const served = yield* serve(undefined, { events: module })
      const operator = yield* served.key("default", "operator")
      const told = served.as<Json>(operator, "/v1/runs")
      yield* told("", { json: { run: "event-7", agent: "events" } })
      yield* Examples.until(served, { key: operator, run: "event-7", doing: "waiting" })
      const { etag } = yield* told("/event-7")
      const deep = JSON.parse(`${"[".repeat(200)}1${"]".repeat(200)}`)
      const set = (value: unknown, clause = "city") => ({ change: "set", clause, value })
      const add = (holds: string, clause = "quiet") => ({ change: "add", clause, holds })
      const nested = `${"world.halls.all(a, ".repeat(40)}true${")".repeat(40)}`
      const hostile: ReadonlyArray<ReadonlyArray<unknown>> = [
        [set("\ud800")],
        [set(deep)],
        [set({ __proto__: 1 }, "budget")],
        [set(1e21, "budget")],
        [set("Basel", "__proto__")],
        [set("Basel", "constructor")],
        [set(null)],
        [add("")],
        [add("1/0")],
        [add("world.nope > 1")],
        [add("\u0000")],
        [add("(".repeat(19_000))],
        [add(nested)],
        [add("true", "__proto__")],
        [{ change: "prioritise", clauses: ["__proto__", "city", "city"] }],
        [{ change: "withdraw", clause: "toString" }],
        [{ change: "forget" }],
        Array.from({ length: 65 }, () => set("Basel"))
      ]
      for (const changes of hostile) {
        for (const path of ["/event-7/goal/plan", "/event-7/revisions"]) {
          const { body, status } = yield* told(path, { json: { changes, keeps: ["__proto__"] } })
          assert.include([400, 422], status, `${path} ${JSON.stringify(changes).slice(0, 80)}: ${JSON.stringify(body)}`)
          assert.isString(body.tag)
        }
      }
      assert.strictEqual((yield* told("/event-7")).etag, etag)
    })
  )
})
