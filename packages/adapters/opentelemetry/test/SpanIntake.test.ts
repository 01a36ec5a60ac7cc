import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Repeats from "@backstitch/ledger/Repeats"
import * as History from "@backstitch/runtime/History"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SpanIntake from "../src/SpanIntake.ts"
import * as lab from "./lab.ts"
import * as spans from "./spans.ts"

const take = Effect.fnUntraced(function* (...requests: ReadonlyArray<ReadonlyArray<spans.Made>>) {
  const intake = yield* SpanIntake.make({})
  const taken: Array<SpanIntake.IntakeCount> = []
  for (const request of requests) taken.push(yield* intake.take(spans.spansOf(request)))
  return taken
})

describe("SpanIntake", () => {
  it.effect("makes a run of a trace, in which the repeated act is named", () =>
    Effect.gen(function* () {
      const [taken] = yield* take(spans.paysTwice(1))
      assert.deepStrictEqual(taken, {
        taken: 5,
        ignored: 0,
        refused: 0,
        why: undefined,
        runs: [`trace-${spans.traceOf(1)}`]
      })
      const run = yield* lab.transitions(1)
      assert.deepStrictEqual(lab.told(run), lab.whole)
      assert.deepStrictEqual(
        Repeats.of(run, ToolContract.unknown).map(({ after, of, tick }) => [of.tick, after, tick]),
        [[3, "timeout", 5]]
      )
      const { envelope, stamp } = run[3]!
      const trace = `${spans.traceOf(1)}-0000000000000002`
      assert.deepStrictEqual(envelope, { source: "tool span", trace, ts: 1_700_000_000_020 })
      assert.strictEqual(stamp.asOf, 1_700_000_000_020)
    }).pipe(lab.within)
  )

  it.effect("verifies as a run that was committed at once", () =>
    Effect.gen(function* () {
      yield* take(...spans.paysTwice(1).map((each) => [each]))
      const history = yield* History.History
      const run = Run.make(`trace-${spans.traceOf(1)}`)
      const at = yield* history.at(run, 7)
      assert.strictEqual((yield* history.transitions(run)).at(-1)?.tick, at.head.tick)
    }).pipe(lab.within)
  )

  it.effect.prop(
    "doubles nothing and loses nothing, in whatever order, batches and repetitions the spans come, and after restarts",
    [Schema.Array(Schema.Literals([0, 1, 2, 3, 4])), Schema.Array(Schema.Boolean)],
    ([order, restarts]) =>
      Effect.gen(function* () {
        const made = spans.paysTwice(1)
        let intake = yield* SpanIntake.make({})
        const arrivals = [...order, 4, 2, 0, 3, 1]
        for (const [index, at] of arrivals.entries()) {
          if (restarts[index] === true) intake = yield* SpanIntake.make({})
          yield* intake.take(spans.spansOf([made[at]!]))
        }
        // The mark of an error is on the span of the tool alone, which may come after the answer.
        const plain = (line: string) => line.replace(/=> (?:ok|error) /, "=> ")
        const lines = lab.told(yield* lab.transitions(1)).map(plain)
        assert.sameMembers([...lines], lab.whole.map(plain))
        for (const id of ["c1", "c2"]) {
          const [asked, answered] = [`pay(${id})`, `${id} => `].map((begin) =>
            lines.findIndex((line) => line.startsWith(begin))
          )
          assert.isTrue(asked! < answered!)
        }
      }).pipe(lab.within),
    { arbitrary: { runs: 30 } }
  )

  it.effect("gives each trace a run of its own, whatever is mixed in one request", () =>
    Effect.gen(function* () {
      const mixed = [1, 2, 3].flatMap(spans.paysTwice).sort((one, other) => (one.at ?? 0) - (other.at ?? 0))
      const [taken] = yield* take(mixed)
      assert.strictEqual(taken?.runs.length, 3)
      for (const trace of [1, 2, 3]) assert.deepStrictEqual(lab.told(yield* lab.transitions(trace)), lab.whole)
    }).pipe(lab.within)
  )

  it.effect("orders the spans of a request by their beginnings, and appends a late one with its own time", () =>
    Effect.gen(function* () {
      const late = spans.pay({ trace: 1, id: 9, at: 5 }, { id: "c0", result: "paid" })
      yield* take([...spans.paysTwice(1)].reverse(), [late])
      const run = yield* lab.transitions(1)
      assert.deepStrictEqual(lab.told(run), [...lab.whole, "pay(c0)", "c0 => ok paid"])
      assert.strictEqual(run.at(-1)?.envelope.ts, 1_700_000_000_005)
      assert.strictEqual(run.at(-1)?.stamp.asOf, 1_700_000_000_050)
    }).pipe(lab.within)
  )

  it.effect("takes tool spans without an id, a parent or a model call, and recognises them in a later model call", () =>
    Effect.gen(function* () {
      const alone = spans.pay({ trace: 1, id: 2, at: 20 }, { result: "paid" })
      yield* take([alone], [alone], [spans.paysTwice(1)[0]!])
      assert.deepStrictEqual(lab.told(yield* lab.transitions(1)), [
        "run.started",
        "pay(call-1)",
        "call-1 => ok paid",
        "user: pay order 7"
      ])
    }).pipe(lab.within)
  )

  it.effect("ignores spans that are not of generative AI, and refuses those without a name", () =>
    Effect.gen(function* () {
      const request = { trace: 1, id: 7, attributes: { "http.request.method": "GET" } }
      const nameless = { ...spans.paysTwice(1)[0]!, id: 0 }
      const [taken] = yield* take([request, nameless])
      assert.deepInclude(taken, { taken: 0, ignored: 1, refused: 1, runs: [] })
      assert.include(taken?.why, "span id of 16 hex digits")
      const store = yield* TraceStore.TraceStore
      assert.isUndefined(yield* store.info(Run.make(`trace-${spans.traceOf(1)}`)))
    }).pipe(lab.within)
  )

  it.effect("gives a span from the far future no time, so that later ones keep theirs", () =>
    Effect.gen(function* () {
      const future = spans.pay({ trace: 1, id: 8, at: 10 ** 12 }, { id: "c9", result: "paid" })
      yield* take([future], spans.paysTwice(1))
      const run = yield* lab.transitions(1)
      assert.strictEqual(run.at(-1)?.stamp.asOf, 1_700_000_000_050)
      assert.strictEqual(run[1]?.envelope.ts, 0)
    }).pipe(lab.within)
  )

  it.effect("adds to what another intake has committed meanwhile", () =>
    Effect.gen(function* () {
      const made = spans.paysTwice(1)
      const [one, other] = [yield* SpanIntake.make({}), yield* SpanIntake.make({})]
      yield* one.take(spans.spansOf([made[0]!]))
      yield* other.take(spans.spansOf([made[1]!]))
      yield* one.take(spans.spansOf([made[2]!]))
      yield* Effect.all([one.take(spans.spansOf([made[3]!])), other.take(spans.spansOf([made[4]!, made[3]!]))], {
        concurrency: "unbounded"
      })
      assert.sameMembers([...lab.told(yield* lab.transitions(1))], lab.whole)
    }).pipe(lab.within)
  )

  it.effect("keeps ten thousand traces apart, with a bounded number of them in memory", () =>
    Effect.gen(function* () {
      const intake = yield* SpanIntake.make({})
      const traces = Array.from({ length: 10_000 }, (_, index) => index + 1)
      const made = traces.map((trace) => spans.pay({ trace, id: 1, at: 1 }, { id: "c", result: "paid" }))
      assert.deepInclude(yield* intake.take(spans.spansOf(made)), { taken: 10_000, refused: 0 })
      const again = yield* intake.take(spans.spansOf(made.slice(0, 3)))
      assert.deepStrictEqual(again.runs, [])
      assert.strictEqual((yield* lab.transitions(9_999)).length, 3)
    }).pipe(lab.within)
  )

  it.effect("refuses only the span of which something has no place in a trace", () =>
    Effect.gen(function* () {
      const made = spans.paysTwice(1)
      const unfit = { ...made[1]!, id: 99, attributes: { ...made[1]!.attributes, "gen_ai.tool.call.id": "c9" } }
      const args = { ...unfit, attributes: { ...unfit.attributes, "gen_ai.tool.call.arguments": '{"amount":1e999}' } }
      const [taken] = yield* take([made[0]!, args, ...made.slice(1)])
      assert.deepInclude(taken, { taken: 5, refused: 1 })
      assert.include(taken?.why, "a span cannot be part of a trace")
      assert.deepStrictEqual(lab.told(yield* lab.transitions(1)), lab.whole)
    }).pipe(lab.within)
  )

  it.effect("keeps names that objects of JavaScript have themselves, and text with half a character", () =>
    Effect.gen(function* () {
      const hostile = { "gen_ai.tool.call.arguments": '{"__proto__":{"a":1},"constructor":"\\ud800"}', __proto__x: 1 }
      const made = spans.pay({ trace: 1, id: 2 }, { id: "c1", result: "\ud800" })
      const [taken] = yield* take([{ ...made, attributes: { ...made.attributes, ...hostile } }])
      assert.deepInclude(taken, { taken: 1, refused: 0 })
      const params = (yield* lab.transitions(1))[1]?.body.action?.params
      assert.deepStrictEqual(
        JSON.parse(JSON.stringify(params)),
        JSON.parse('{"__proto__":{"a":1},"constructor":"\ufffd"}')
      )
    }).pipe(lab.within)
  )

  it.effect("refuses a pack whose sensitive values would be kept in clear", () =>
    Effect.gen(function* () {
      const pack = Result.getOrThrow(
        TaskPack.make({
          pack: "test.clinic",
          version: "1.0.0",
          tools: {
            note: {
              class: "medium_risk_write",
              input: { patient: "string", text: { type: "string", sensitive: { subject: "args.patient" } } },
              output: { id: "string" },
              identity: "none"
            }
          }
        })
      )
      const error = yield* Effect.flip(SpanIntake.make({ pack }))
      assert.include(error.message, "test.clinic has sensitive fields")
    }).pipe(lab.within)
  )
})
