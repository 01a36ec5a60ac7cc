import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parse } from "yaml"
import type * as Definition from "../../src/grammar/pack/Definition.ts"
import * as TaskPack from "../../src/TaskPack.ts"
import { claims, travel } from "../packs.ts"

type Path = ReadonlyArray<string | number>
type Container = Readonly<Record<string | number, unknown>>

const issuesOf = (definition: unknown): ReadonlyArray<{ readonly path: string; readonly found: string }> => {
  const read = TaskPack.make(definition as Definition.Definition)
  return Result.isSuccess(read) ? [] : read.failure.issues
}

/** Paths of all values that hold no others. */
const leaves = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? Object.keys(value).flatMap((key) =>
        leaves((value as Container)[key], [...path, Array.isArray(value) ? Number(key) : key])
      )
    : [path]

const replaced = (value: unknown, [first, ...rest]: Path, by: unknown): unknown => {
  if (first === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
  copy[first] = replaced((value as Container)[first], rest, by)
  return copy
}

const wrong = [{ wrong: 1 }, -7.5, "@@", [["x"]]]

/** Each leaf with a value that is refused there. */
const mistakes = (definition: unknown) =>
  leaves(definition).flatMap((path) => {
    const value = wrong.find((value) =>
      issuesOf(replaced(definition, path, value)).some((issue) => issue.path === placeOf(path))
    )
    return value === undefined ? [] : [{ path, value, place: placeOf(path) }]
  })

const placeOf = (path: Path): string =>
  path.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`)).join("")

/** Keys without which nothing is known of the other values of their mapping. */
const governing = new Set(["table", "field", "value", "decimal", "set", "add", "put"])

const governs = (path: Path): boolean => governing.has(String(path[path.length - 1]))

describe("a pack with several mistakes", () => {
  it.each([
    ["a trip", travel],
    ["a claim", claims]
  ])("hides none of them behind another that stands near it: %s", (_, text) => {
    const definition: unknown = parse(text)
    const made = mistakes(definition)
    assert.isAbove(made.length, 10)
    const hidden = made.flatMap((first) =>
      made.flatMap((second) => {
        const isNear = first !== second && first.path.slice(0, 2).join() === second.path.slice(0, 2).join()
        if (!isNear || governs(first.path)) return []
        const both = issuesOf(replaced(replaced(definition, first.path, first.value), second.path, second.value))
        return both.some(({ path }) => path === second.place) ? [] : [`${first.place} hides ${second.place}`]
      })
    )
    assert.deepStrictEqual(hidden, [])
  })

  it("does not report a reference to a field whose type could not be read", () => {
    const found = issuesOf(parse(claims.replace("limit_total: { type: float", "limit_total: { type: floaty")))
    assert.deepStrictEqual(
      found.map(({ path }) => path),
      ["contracts.pay_claim.required_state.limit_total.type"]
    )
  })

  it("refuses a value that can never be of its field's type, before it is written", () => {
    const pack = parse(travel) as { tools: { issue_ticket: { on_reconciled: unknown } } }
    pack.tools.issue_ticket.on_reconciled = [
      { set: { field: "world.paid", value: "args.train == ''" } },
      { add: { field: "world.paid", value: true } },
      {
        put: { table: "world.tickets", key: "observed.code", row: { status: 5, fare: "'12.50'" } }
      },
      { set: { table: "world.tickets", key: "observed.code", field: "fare", value: { amount: 1 } } }
    ]
    assert.deepStrictEqual(
      issuesOf(pack).map(({ found, path }) => `${path.replace("tools.issue_ticket.on_reconciled", "")}: ${found}`),
      [
        "[0].set.value: an expression that answers a bool",
        "[1].add.value: boolean true",
        "[2].put.row.status: number 5",
        "[3].set.value: an object"
      ]
    )
  })

  it("reads monotone_lift as a word of its own, and refuses it beside a contradicting word", () => {
    const monotone = (violation: object) => {
      const pack = { ...(parse(travel) as object), violations: [{ id: "v", when: "world.paid > 9.0", ...violation }] }
      const read = TaskPack.make(pack as Definition.Definition)
      return Result.isSuccess(read) ? read.success.violations[0]?.monotone : read.failure.issues[0]?.found
    }
    assert.strictEqual(monotone({ monotone_lift: true }), "lift")
    assert.strictEqual(monotone({ monotone_lift: false, monotone: true }), "declared")
    assert.strictEqual(monotone({ monotone_lift: true, monotone: true }), "monotone_lift true beside monotone true")
    assert.strictEqual(monotone({ pure: "yes" }), 'string "yes"')
  })
})
