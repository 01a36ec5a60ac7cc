import { assert, describe, it } from "vitest"
import { Backstitch, BackstitchError, guarded, type PackDefinition } from "../src/Sdk.ts"

const tool = { class: "medium_risk_write", input: { seat: "string" }, identity: { scope: "run", fields: ["seat"] } }
const record = { source: "the seat map", consistency: "strong", expect: ["actual.seat == args.seat"] }
const pack: PackDefinition = {
  pack: "acme.seats",
  version: "1",
  tools: { reserve: { ...tool, target: "'seat/' + args.seat", readback: record, undo: "X" } }
}
const same = (args: { readonly seat: string }) => args
const tools = { reserve: { execute: same, readback: same } }

/** Values that no verb takes at the place of a text, a function or an object. */
const strange: ReadonlyArray<unknown> = [
  undefined,
  null,
  7,
  Number.NaN,
  "x",
  [],
  [undefined],
  {},
  new Map(),
  () => 1,
  Symbol("s"),
  10n,
  true
]

/** Programs in plain JavaScript may give anything. */
type Verbs = Readonly<Record<string, (...given: ReadonlyArray<unknown>) => unknown>>

/** The error of a call, or nothing; a call that throws at once instead of answering a promise is told as such. */
const errorOf = async (does: () => unknown): Promise<unknown> => {
  try {
    const answered = await does()
    if (typeof answered === "object" && answered !== null && "close" in answered) await (answered as Verbs)["close"]?.()
    return undefined
  } catch (cause) {
    return cause
  }
}

const open = Backstitch.open as unknown as (options: unknown) => Promise<object>

const opened = async () => {
  const bs = (await Backstitch.open({ store: "memory:", pack, tools })) as unknown as Verbs & AsyncDisposable
  return { bs, run: (await bs["run"]?.("evening")) as Verbs }
}

describe("a verb that is given an argument of another type", () => {
  it("fails by an error of this package, and by a promise", async () => {
    const { bs, run } = await opened()
    await using _ = bs
    const at = (verbs: Verbs, name: string, ...before: ReadonlyArray<unknown>) =>
      [name, (value: unknown) => verbs[name]?.(...before, value)] as const
    const reasoned = { reason: "Ada comes alone" }
    const calls = [
      ...["run", "approve", "deny", "resolve", "held"].map((name) => at(bs, name)),
      ...["run", "approve", "deny", "resolve"].map((name) => at(bs, name, "evening")),
      ...["approve", "deny", "resolve"].map((name) => at(bs, name, "evening", "a2")),
      ...["tool", "record", "step", "decide", "messages", "report", "approve", "deny"].map((name) => at(run, name)),
      ...["resolve", "inject", "plan", "bisect", "diff", "fork", "verify"].map((name) => at(run, name)),
      ...["tool", "record", "step", "decide", "approve", "deny", "resolve", "undo"].map((name) => at(run, name, "n")),
      ["undo", (value: unknown) => run["undo"]?.(value, reasoned)] as const,
      ["fork.from", (value: unknown) => run["fork"]?.({ from: value })] as const,
      ["tool.signal", (value: unknown) => run["tool"]?.("reserve", {}, { signal: value })] as const,
      ["tool.occurrence", (value: unknown) => run["tool"]?.("reserve", {}, { occurrence: value })] as const,
      ["record.tokens", (value: unknown) => run["record"]?.("observation.add", {}, { tokens: value })] as const,
      ["inject.keeps", (value: unknown) => run["inject"]?.({ changes: [], keeps: value })] as const
    ]
    for (const [name, call] of calls) {
      for (const value of strange) {
        let answered: unknown
        assert.doesNotThrow(() => {
          answered = call(value)
        }, name)
        const cause = await errorOf(() => answered)
        assert.isTrue(cause === undefined || cause instanceof BackstitchError, `${name}: ${String(cause)}`)
      }
    }
  })

  it("says which verb, which argument, and what it takes, and shows no value", async () => {
    const { bs, run } = await opened()
    await using _ = bs
    const told: ReadonlyArray<readonly [() => unknown, string]> = [
      [
        () => run["undo"]?.(undefined, { reason: "x" }),
        'run.undo(ACTION, { reason: "…" }) was given nothing for actions, which has to be the name of an act, or a list of such names'
      ],
      [
        () => run["fork"]?.({ from: "2" }),
        "run.fork({ from: TICK }) was given a string for options.from, which has to be a whole number"
      ],
      [
        () => open({ store: "memory:", secret: 4242 }),
        "Backstitch.open({ pack, tools, store }) was given a number for options.secret, which has to be a text"
      ],
      [
        async () => {
          const events = run["events"] as (options: object) => AsyncIterable<unknown>
          for await (const _ of events({ from: "first" })) break
        },
        "run.events({ from, follow }) was given a string for options.from, which has to be a whole number"
      ]
    ]
    for (const [does, message] of told) {
      const cause = (await errorOf(does)) as BackstitchError
      assert.deepStrictEqual([cause.code, cause.message], ["argument_invalid", message])
    }
  })

  it("takes `null` for an argument that is left out", async () => {
    const { bs, run } = await opened()
    await using _ = bs
    const calls = [
      () => bs["run"]?.("morning", null),
      () => run["tool"]?.("reserve", { seat: "1A" }, null),
      () => run["messages"]?.(null),
      () => run["report"]?.(null),
      () => run["verify"]?.(null),
      () => open(null)
    ]
    for (const call of calls) assert.isUndefined(await errorOf(call))
  })
})

describe("a tool that has something else than a function", () => {
  it("is refused as it is given, before a call of it could be held", async () => {
    const contract = { tool: "reserve", input: { seat: "string" } }
    const guard = guarded as unknown as (...given: ReadonlyArray<unknown>) => unknown
    for (const value of strange.filter((each) => typeof each !== "function" && each !== undefined)) {
      for (const field of ["status", "readback", "refuses"]) {
        assert.throws(() => guard(same, { contract, store: "memory:", [field]: value }), `options.${field}, which has`)
        const cause = await errorOf(() => open({ pack, tools: { reserve: { ...tools.reserve, [field]: value } } }))
        assert.include(String(cause), `options.tools.reserve.${field}, which has to be a function`)
      }
      const cause = await errorOf(() => open({ pack, tools: { reserve: { ...tools.reserve, execute: value } } }))
      assert.include(String(cause), "options.tools.reserve.execute, which has to be a function")
      assert.instanceOf(await errorOf(() => open({ pack, tools: { reserve: value } })), BackstitchError)
      if (value !== null) assert.instanceOf(await errorOf(() => open({ types: [value] })), BackstitchError)
    }
  })

  it("is guarded by nothing, and its calls take an object for options", async () => {
    const contract = { tool: "reserve", input: { seat: "string" } }
    await using reserve = guarded(same, { contract, store: "memory:" })
    const call = reserve as unknown as (...given: ReadonlyArray<unknown>) => Promise<unknown>
    assert.deepStrictEqual(await call({ seat: "1A" }, null), { seat: "1A" })
    for (const value of [7, "x", [], { signal: 7 }, { occurrence: 10n }]) {
      const cause = await errorOf(() => call({ seat: "1B" }, value))
      assert.isTrue(cause instanceof BackstitchError, String(cause))
    }
    const guard = guarded as unknown as (...given: ReadonlyArray<unknown>) => unknown
    for (const contract of [null, undefined])
      assert.throws(() => guard(same, { contract }), /^guarded takes a function/)
  })
})
