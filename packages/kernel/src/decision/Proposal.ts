/** A proposal: an intent that the kernel has not decided yet. */
import type { Amounts } from "@backstitch/contracts/Amount"
import * as Field from "@backstitch/expressions/Field"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Author } from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import type { Transition } from "@backstitch/trace/Transition"
import * as VersionPayload from "@backstitch/version-control/Payload"
import * as Schema from "effect/Schema"
import * as Check from "../payload/Check.ts"

type Intent = NonNullable<Transition["body"]["intent"]>

/**
 * A proposed intent.
 *
 * **Details**
 *
 * Without `type` it is an `action.request`, and needs `tool`. `command` makes the proposal idempotent: two proposals
 * with the same command are one, and another request under its name is refused. A proposal with a command alone asks
 * what became of it. `occurrence` (from 1) asks for one more of the same act, and `occurrenceBy` names
 * the author of that number. A planner that decides step by step may not set it, or it could avoid the recognition of
 * acts that it has already done. `dependsOn` names further state fields that must not have changed; it can only add
 * to what the contract requires (L4). `basis` is the tick of the state that the proposer saw.
 *
 * A decision of a person may name the `question` that they saw, as `Reviews.digestOf` has it. If another one waits by
 * then, nothing is committed.
 *
 * A message to people (`message.sent`, or a `goal.complete` with a `message`) says in `data.reports` which actions it
 * reports. `["a7"]` reports an action as a success, `{ action, standing }` reports another standing, and an empty
 * list declares that it reports none.
 */
export interface Proposal {
  readonly type?: string | undefined
  readonly author?: Author | undefined
  readonly agent?: string | undefined
  readonly description?: string | undefined
  readonly confidence?: number | undefined
  readonly uncertainty?: string | undefined
  readonly tool?: string | undefined
  readonly params?: Json | undefined
  readonly data?: JsonObject | undefined
  readonly dependsOn?: ReadonlyArray<string> | undefined
  readonly basis?: number | undefined
  readonly command?: string | undefined
  readonly question?: Digest | undefined
  readonly occurrence?: number | undefined
  readonly occurrenceBy?: Intent["occurrenceBy"] | undefined
  /**
   * The person who starts a critical mutation without the required approval, and their reason. A planner may not set
   * it.
   */
  readonly breakGlass?: { readonly by: string; readonly reason: string } | undefined
  /** Tokens that this proposal cost. */
  readonly tokens?: number | undefined
  /** Other costs of this proposal, by budget: `{ "money.USD": "0.08" }`. */
  readonly spent?: Amounts | undefined
}

const named = { message: "Expected the name of a tool" }

/**
 * The fields of a proposal. Occurrences count from 1. Amounts are read before they are brought into their canonical
 * form.
 */
const form = {
  ...VersionPayload.Proposed.fields,
  occurrence: Schema.Natural.check(Schema.isGreaterThanOrEqualTo(1)),
  spent: Schema.Record(Schema.String, Schema.Union([Schema.Finite, Schema.String])),
  tool: Schema.String.annotate(named).check(Schema.isNonEmpty(named))
}

// Checks by field: most proposals have few fields, and to check a field costs less than to look for the other fields.
const checks = Object.entries(form).map(([name, field]) => ({
  name: name as keyof typeof form,
  check: Payload.checker(field, [name])
}))

const unfit = (type: string, path: string, problem: string, found: unknown): Check.Check =>
  Check.fail("schema", type, "payload.misfit", { path, type }, `${problem}, found ${Field.nameOf(found)}`)

/**
 * The check that fails if the fields of a proposal have wrong types; nothing of it can be committed. TypeScript types
 * alone cannot ensure this. Unknown fields are ignored.
 */
export const misfit = (proposal: Proposal): Check.Check | undefined => {
  for (const { check, name } of checks) {
    const wrong = proposal[name] === undefined ? undefined : check(proposal[name])
    if (wrong === undefined) continue
    const type = typeof proposal.type === "string" ? proposal.type : "action.request"
    return unfit(type, wrong.path, wrong.problem, foundAt(proposal, wrong.path))
  }
  return undefined
}

/** The check that fails if the request of an action names no tool. */
export const toolless: Check.Check = unfit("action.request", "tool", named.message, undefined)

/** Refuses a proposal that stands alone and has wrong types, or asks for an action without naming a tool. */
export const misfitAlone = (proposal: Proposal): Check.Check | undefined => {
  const { tool, type = "action.request" } = proposal
  return misfit(proposal) ?? (tool === undefined && type === "action.request" ? toolless : undefined)
}

/** Finds the value at a path whose names may contain dots, as names of budgets do. */
const foundAt = (value: unknown, path: string): unknown => {
  if (path === "" || typeof value !== "object" || value === null) return value
  const names = Object.keys(value).filter((name) => name === path || path.startsWith(`${name}.`))
  const [name] = names.sort((one, other) => other.length - one.length)
  return name === undefined
    ? undefined
    : foundAt((value as { readonly [name: string]: unknown })[name], path.slice(name.length + 1))
}
