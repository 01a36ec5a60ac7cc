/**
 * The codes that the kernel commits or answers, with the types of their arguments. `wording` has the words for them:
 * a trace contains no English sentence (decision 0027).
 *
 * **Example** (A finding, and a code that does not take these arguments)
 *
 * ```ts import.meta.vitest
 * import { Finding } from "@backstitch/kernel"
 *
 * Finding.make("sending.exhausted", { attempts: 8 }) // => { args: { attempts: 8 }, code: "sending.exhausted" }
 * Finding.isKnown({ args: { attempts: "often" }, code: "sending.exhausted" }) // => false
 * ```
 *
 * @source docs/decisions/0018, 0027
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as Payload from "@backstitch/trace/Payload"
import * as HistoryCodes from "@backstitch/version-control/HistoryCodes"
import * as Schema from "effect/Schema"
import * as checks from "./checkCodes.ts"
import * as evidence from "./evidenceCodes.ts"
import * as outcomes from "./outcomeCodes.ts"

/** A finding as an argument of another finding, with any code. */
const nested: Schema.Decoder<FindingForm.AnyFinding> = Schema.suspend(
  (): Schema.Decoder<FindingForm.AnyFinding> => schema
)

const causes = outcomes.causes(nested)
const budgets = checks.budgets

/** Findings of checks. */
const found = {
  ...checks.authorship,
  ...checks.shapes,
  ...checks.rules(nested),
  ...budgets,
  ...checks.keys,
  ...checks.undoings,
  ...checks.decisions,
  ...checks.records(nested),
  ...checks.revisions
} as const

/** Findings about answers and records. */
const lacking = { ...evidence.silences, ...evidence.blindness, ...evidence.doubts, ...evidence.unmet } as const

/** Every code, with the schema of its arguments. */
export const codes = {
  ...found,
  ...outcomes.holds(nested),
  ...outcomes.undoings(nested),
  ...causes,
  ...outcomes.approvals,
  ...outcomes.reviews,
  ...outcomes.failures(nested),
  ...lacking,
  ...HistoryCodes.codes
} as const satisfies FindingForm.Codes

/** The schema of findings with any code of the kernel. */
export const schema: Schema.Decoder<FindingForm.AnyFinding> = FindingForm.schema(codes)

/**
 * Makes the schema of findings with the given codes. A body is checked against it where it enters, not where it is
 * made.
 */
const schemaOf = (codes: FindingForm.Codes, identifier: string): Schema.Decoder<FindingForm.AnyFinding> =>
  FindingForm.schema(codes, identifier)

/**
 * Schemas of findings by their place: why an approval is asked for, what forbids a plan, which budget is used up, why
 * something is undone, what a check found, and what an answer or a record lacks.
 */
export const findingsOf = {
  asks: schemaOf(
    {
      "act.repeated": checks.keys["act.repeated"],
      "tool.unknown": checks.authorship["tool.unknown"],
      ...outcomes.approvals
    },
    "asks.finding"
  ),
  blocks: schemaOf({ ...checks.undoings, "act.relied": checks.keys["act.relied"] }, "blocks.finding"),
  budgets: schemaOf(budgets, "budgets.finding"),
  causes: schemaOf(causes, "causes.finding"),
  checks: schemaOf(found, "checks.finding"),
  lacks: schemaOf({ ...lacking, ...budgets }, "lacks.finding")
} as const

/** The code of a finding of any package up to the kernel. */
export type Code = keyof typeof codes

/** The arguments of a code. */
export type Args<C extends Code> = FindingForm.Args<typeof codes, C>

/** A code with its arguments. */
export type Finding = FindingForm.Of<typeof codes>

/** A finding of a check: one of the codes of checks, with its arguments. */
export type CheckFinding = FindingForm.Of<typeof found>

/** A finding with any code of any package. */
export type Any = FindingForm.AnyFinding

/** Makes a finding. */
export const make = FindingForm.maker(codes)

/** Tells whether a value has the form of a finding, with any code. */
export const isFinding = FindingForm.isFinding

/** Tells whether a text is a code of the kernel. */
export const isCode = (code: string): code is Code => Object.hasOwn(codes, code)

/** Tells whether a value is a finding with a code of the kernel and fitting arguments. */
export const isKnown = (value: unknown): value is Finding =>
  FindingForm.isFinding(value) && isCode(value.code) && checkers.get(value.code)?.(value.args) === undefined

const checkers: ReadonlyMap<string, (args: unknown) => Payload.PayloadFault | undefined> = new Map(
  Object.entries<Schema.Decoder<JsonObject>>(codes).map(([code, args]) => [code, Payload.checker(args)])
)
