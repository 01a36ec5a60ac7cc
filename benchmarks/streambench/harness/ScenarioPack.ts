/**
 * The contract of a setting: its enabled tools with what undoes them, the clauses of its goal, and what tools assume.
 *
 * `world.records` holds what acts made of the world outside, `world.texts` the texts of the preparation, and
 * `working.facts` the answers. A thing has versions; a row shows the latest one that is there.
 *
 * | class | undone by | afterwards |
 * | --- | --- | --- |
 * | R, a text or a twin | `restore_version` | the version before it, or nothing |
 * | K, a message | `send_correction` | the message is corrected; whoever has read it already has read it |
 * | K, a booking | `cancel_booking` | the booking is cancelled, for a fee |
 * | X, a payment | | |
 */
import type * as Definition from "@backstitch/contracts/Definition"
import type * as RevisionPolicy from "@backstitch/contracts/RevisionPolicy"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import * as Scenario from "../scenario/Scenario.ts"
import * as Setting from "../scenario/Setting.ts"

/** The rules for revisions that a pack declares. */
export type Rules = Pick<RevisionPolicy.RevisionPolicy, "reversible" | "rule">

/** Rules for revisions, and whether contracts say what their calls assume. Silent ones leave that to a judge. */
export interface Options extends Rules {
  readonly silent?: boolean | undefined
}

/** The rules of the algorithm of the source. */
export const asPublished: Rules = { rule: "earliest_conflict", reversible: "leave" }

/** Tools that undo others, by the kind of thing that they take back. */
export const reversals = { text: "restore_version", mail: "send_correction", booking: "cancel_booking" } as const

/** The contract of a setting as it is written. */
export const written = (
  setting: Setting.Setting,
  { silent, ...rules }: Options = asPublished
): Definition.Definition => ({
  pack: `streambench.${setting.scenario.name.replaceAll(" ", "_")}`,
  version: "1.0.0",
  state: {
    world: {
      records: { table: { key: "item", row: rowOf(setting) } },
      texts: { table: { key: "item", row: rowOf(setting) } }
    },
    working: {
      facts: { table: { key: "item", row: { about: "string", full: "int", short: "int" } } }
    }
  },
  specification: specificationOf(setting),
  revisions: { ...rules, priority: setting.priority },
  violations: [
    {
      id: "NEGATIVE_TOTAL",
      name: "A thing of the world has a total below zero",
      each: "world.records",
      when: `row.${setting.scenario.words.total.argument} < 0`
    }
  ],
  tools: {
    ...Object.fromEntries(setting.tools.map((tool) => [tool.name, contractOf(setting, tool, silent)])),
    ...Object.fromEntries(
      Object.entries(reversals)
        .filter(([kind]) => setting.tools.some((tool) => tool.kind === kind))
        .map(([kind, name]) => [name, reversalOf(setting, kind as keyof typeof reversals)])
    )
  },
  reducers: {
    on: Object.fromEntries(
      setting.tools
        .filter(({ kind }) => kind === "answer")
        .map(({ name }) => [name, [{ put: { table: "working.facts", key: "args.item", row: factOf(setting) } }]])
    )
  }
})

/** Makes the contract of a setting. */
export const of = (setting: Setting.Setting, options?: Options): TaskPack.TaskPack =>
  Result.getOrThrow(TaskPack.make(written(setting, options)))

/** The table in which a thing stands. */
export const tableOf = (step: Scenario.Step): "records" | "texts" => (Scenario.isActing(step) ? "records" : "texts")

const argumentsOf = ({ scenario: { words } }: Setting.Setting) =>
  ({
    [words.theme.argument]: "string",
    [words.total.argument]: "int",
    [words.people.argument]: "string"
  }) as const

const namesOf = ({ scenario: { words } }: Setting.Setting): ReadonlyArray<string> =>
  Scenario.terms.map((term) => words[term].argument)

const rowOf = (setting: Setting.Setting) => ({ version: "int", status: "string", ...argumentsOf(setting) }) as const

const recordOf = (setting: Setting.Setting) => ({ item: "string", ...rowOf(setting) }) as const

const factOf = ({ scenario: { words } }: Setting.Setting) => ({
  about: `args.${words.theme.argument}`,
  full: "observed.full",
  short: "observed.short"
})

const specificationOf = (setting: Setting.Setting): NonNullable<Definition.Definition["specification"]> => {
  const { people, theme, total } = setting.scenario.words
  const every = Setting.overRecords
  return {
    [theme.clause]: { holds: every(theme.argument, `clause.${theme.clause}`, "equals"), value: "string" },
    [total.clause]: { holds: every(total.argument, `clause.${total.clause}`, "at most"), value: "int" },
    [people.clause]: { holds: every(people.argument, `clause.${people.clause}`, "names"), value: "string" },
    ...Object.fromEntries(
      setting.steps
        .filter(Scenario.isActing)
        .map(({ id }) => [id, { holds: `'${id}' in world.records && world.records['${id}'].status == 'standing'` }])
    )
  }
}

const waives = {
  tenant: "the world has one owner",
  difference: "a thing is new, or its end is its status",
  actor: "one agent acts in the world",
  downstream: "nothing is passed on to another system"
} as const

const times = { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" } as const

const contractOf = (setting: Setting.Setting, tool: Setting.EnabledTool, silent = false): Definition.ToolDefinition => {
  const { kind, steps } = tool
  const { words } = setting.scenario
  const acting = steps.some(Scenario.isActing) || steps.length === 0
  const reads = [...new Set(steps.flatMap(({ needs }) => needs.map((id) => keyOf(setting, id))))]
  if (kind === "answer") {
    return {
      class: "read_only",
      input: { item: "string", [words.theme.argument]: "string" },
      output: { full: "int", short: "int" },
      writes: ["working.facts[args.item]"]
    } as const
  }
  const table = acting ? "world.records" : "world.texts"
  const expected = ["item", "version", ...namesOf(setting)]
  return {
    class: "medium_risk_write",
    idempotency: "idempotent_write",
    input: { item: "string", version: "int", ...argumentsOf(setting) },
    output: recordOf(setting),
    target: "'item/' + args.item",
    identity: { scope: "goal", fields: expected.map((name) => ({ [name]: "exact" })) },
    times,
    status: "by_key",
    readback: {
      source: "records",
      expect: ["actual.status == 'standing'", ...expected.map((name) => `actual.${name} == args.${name}`)],
      within: "1s"
    },
    waives,
    undo: undoOf(kind),
    reads,
    writes: [`${table}[args.item]`],
    ...(silent ? {} : { assumes: assumedBy(setting, tool) }),
    serves: steps.filter(Scenario.isActing).map(({ id }) => id),
    on_reconciled: [{ put: { table, key: "actual.item", row: rowFrom(setting, "actual") } }]
  } as const
}

/** The key under which the thing of a step stands. */
const keyOf = ({ steps }: Setting.Setting, id: string): string => {
  const step = steps.find((each) => each.id === id)
  if (step === undefined) throw new Error(`no step ${id}`)
  return step.kind === "answer" ? `working.facts['${id}']` : `world.${tableOf(step)}['${id}']`
}

const undoOf = (kind: Scenario.Kind): NonNullable<Definition.ToolDefinition["undo"]> =>
  kind === "payment" || kind === "answer"
    ? "X"
    : {
        class: Scenario.classOf(kind),
        by: reversals[kind],
        with: { item: "actual.item", version: "actual.version" }
      }

/**
 * The clauses that the calls of a tool assume: the terms that they carry, each by its argument. The first acting step
 * asks for what the second one does, so it also assumes the clause of that one.
 */
const assumedBy = (setting: Setting.Setting, { steps }: Setting.EnabledTool) => {
  const { people, theme, total } = setting.scenario.words
  const carried = new Set(steps.flatMap(({ carries }) => carries))
  const text = ({ argument, clause }: typeof theme, agrees: string) => ({
    [clause]: `args.${argument} == '' || args.${argument}${agrees}`
  })
  const acting = setting.steps.filter(Scenario.isActing)
  const [first, second] = acting
  return [
    ...(carried.has("theme") ? [text(theme, ` == clause.${theme.clause}`)] : []),
    ...(carried.has("total") ? [{ [total.clause]: `args.${total.argument} <= clause.${total.clause}` }] : []),
    ...(carried.has("people") ? [text(people, `.contains(clause.${people.clause})`)] : []),
    ...(second !== undefined && steps.some(({ id }) => id === first?.id) ? [second.id] : [])
  ]
}

const rowFrom = (setting: Setting.Setting, source: string) =>
  Object.fromEntries(["version", "status", ...namesOf(setting)].map((name) => [name, `${source}.${name}`]))

/** A reversal answers what is there after it: the version before, or the thing as it was taken back. */
const reversalOf = (setting: Setting.Setting, kind: keyof typeof reversals): Definition.ToolDefinition => {
  const ended = { text: "deleted", mail: "corrected", booking: "cancelled" }[kind]
  return {
    class: "medium_risk_write",
    idempotency: "idempotent_write",
    input: { item: "string", version: "int" },
    output: { item: "string", version: "int", status: "string", left: { object: rowOf(setting) }, place: "string" },
    target: "'item/' + args.item",
    identity: { scope: "goal", fields: [{ item: "exact" }, { version: "exact" }] },
    times,
    status: "by_key",
    readback: {
      source: "records",
      expect: [`actual.status == '${ended}'`, "actual.item == args.item", "actual.version == args.version"],
      within: "1s"
    },
    waives,
    undo: "X",
    assumes: [],
    writes: kind === "text" ? ["world.records[args.item]", "world.texts[args.item]"] : ["world.records[args.item]"],
    on_reconciled: kind === "text" ? restored(setting) : [left(setting, "world.records")]
  } as const
}

const left = (setting: Setting.Setting, table: string, when?: string) => ({
  ...(when === undefined ? {} : { when }),
  put: { table, key: "actual.item", row: rowFrom(setting, "actual.left") }
})

const restored = (setting: Setting.Setting) =>
  (["records", "texts"] as const).flatMap((table) => [
    left(setting, `world.${table}`, `actual.place == '${table}' && actual.left.version > 0`),
    {
      when: `actual.place == '${table}' && actual.left.version == 0`,
      remove: { table: `world.${table}`, key: "actual.item" }
    }
  ])
