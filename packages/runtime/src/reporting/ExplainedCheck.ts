/** One condition of an explanation, with its rule and the values that it read. */
import * as Condition from "@backstitch/contracts/Condition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Check from "@backstitch/kernel/Check"
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { AnyFinding } from "@backstitch/trace/FindingForm"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import type { Body } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Limits from "../Limits.ts"

/** One condition: whether it holds, its place in the pack, and the values that it read. */
export interface ExplainedCheck {
  readonly ok: boolean
  readonly step: string
  readonly id: string
  readonly expected?: string | undefined
  readonly found?: string | undefined
  /** Steps that would make the condition pass. */
  readonly next?: ReadonlyArray<Next> | undefined
  /** The condition as the pack writes it, and its line in the file. */
  readonly source?: string | undefined
  readonly line?: number | undefined
  /** Fields that the condition reads, with their values. */
  readonly values?: JsonObject | undefined
}

/** The context of a condition: the transition that it decided, and the pack in force. */
export interface Context {
  readonly step: Step.Step
  readonly pack: TaskPack.TaskPack | undefined
  readonly words: Words
}

/** Makes a check with its rule: its text, its line, and the values of the fields that it reads. */
export const make = (
  { pack, step, words }: Context,
  check: Check.Check & { readonly next?: ReadonlyArray<Next> }
): ExplainedCheck => {
  const { id } = check
  const ok = Check.isOk(check)
  const said = ok ? undefined : Wording.check(check, words)
  const next = check.next ?? said?.next ?? []
  const guard = check.step === "guard" ? pack?.guards.find((known) => known.id === id) : undefined
  const violation = check.step === "policy" ? pack?.violations.find((known) => known.id === id) : undefined
  const condition = guard?.refuseIf ?? violation?.when
  const path = guard !== undefined ? ["guards", id] : violation !== undefined ? ["violations", id] : ["tools", id]
  return {
    ok,
    step: check.step,
    id,
    ...(said === undefined ? {} : { expected: said.expected, found: said.found }),
    ...(next.length === 0 ? {} : { next }),
    ...(condition === undefined
      ? {}
      : { source: Condition.source(condition), values: valuesOf(condition, scopeOf(step), words) }),
    ...lineIn(pack, path)
  }
}

/** The expectations of a contract about a record, each with the values in the record. */
export const readback = (
  { pack, step, words }: Context,
  about: {
    readonly action: string
    readonly tool: string
    readonly params: Json
    readonly unmet: ReadonlyArray<AnyFinding>
  }
): ReadonlyArray<ExplainedCheck> => {
  const { action, params, tool, unmet } = about
  const expectations = pack === undefined ? [] : (TaskPack.tool(pack, tool).readback?.expect ?? [])
  const actual = step.transition.body.result?.output ?? null
  const told = expectations.flatMap((condition) => {
    const source = Condition.source(condition)
    const ok = !unmet.some(({ args }) => args["source"] === source)
    // A record that is not there meets nothing.
    if (ok && actual === null) return []
    const values = valuesOf(condition, { ...scopeOf(step), args: params, actual }, words)
    const line = lineIn(pack, ["tools", tool, "readback"])
    return [{ ok, step: "readback", id: action, source, values, ...line }]
  })
  const others = unmet.filter(({ args }) => !told.some(({ ok, source }) => !ok && args["source"] === source))
  return [
    ...told,
    ...others.map((each) => ({ ok: false, step: "readback", id: action, found: Wording.tell(each, words) }))
  ]
}

/** The line of a place in the pack's file, if the pack was read from a file. */
export const lineIn = (
  pack: TaskPack.TaskPack | undefined,
  path: ReadonlyArray<string>
): { readonly line?: number } => {
  const line = pack === undefined ? undefined : TaskPack.lineOf(pack, path)
  return line === undefined ? {} : { line }
}

const { explainedCharactersMax } = Limits.showing

const scopeOf = ({ before, transition: { body } }: Step.Step): Readonly<Record<string, unknown>> => ({
  args: body.action?.params ?? proposedIn(body).params ?? body.data ?? {},
  clause: Goal.of(before).clauses,
  world: before.world,
  working: before.working,
  state: { ...before.working, ...before.world }
})

/** The proposal, or the question without an action, that a body is about; empty for any other body. */
export const proposedIn = (body: Body): Pick<Payload.Of<"intent.refused">, "params" | "proposed" | "tool"> =>
  Payload.of(body, "intent.refused") ??
  Payload.of(body, "intent.adopted") ??
  Payload.of(body, "policy.decision") ??
  Payload.of(body, "review.requested") ??
  Payload.of(body, "kernel.anomaly") ??
  {}

const valuesOf = (
  condition: Condition.Condition,
  scope: Readonly<Record<string, unknown>>,
  words: Words
): JsonObject => {
  const reads = Condition.reads(condition)
  if (reads === "any") return {}
  return Object.fromEntries(
    reads.flatMap((path) => {
      const value = valueAt(scope, path.split("."), words)
      return value === undefined ? [] : [[path, value] as const]
    })
  )
}

const valueAt = (scope: object, path: ReadonlyArray<string>, words: Words): Json | undefined => {
  let value: unknown = scope
  for (const name of path) {
    if (Table.is(value)) value = value.get(name)
    else if (typeof value === "object" && value !== null) value = (value as { readonly [name: string]: unknown })[name]
    else return undefined
  }
  if (value === undefined) return undefined
  if (Table.is(value) || List.is(value)) return words.explanations.size(Table.is(value) ? value.size : value.length)
  const json = State.fieldToJson(value as State.StateField)
  const text = JSON.stringify(json)
  return text.length > explainedCharactersMax
    ? words.explanations.shortened({ characters: text.length, text: text.slice(0, explainedCharactersMax - 1) })
    : json
}
