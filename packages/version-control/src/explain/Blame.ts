/**
 * Finds the transition that set a field of the state, and the earlier value.
 *
 * Law: a field keeps its value from one setting to the next.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type * as Ontology from "@backstitch/trace/Ontology"
import * as Schema from "effect/Schema"
import * as FieldPath from "../address/FieldPath.ts"
import type { Step } from "../compare/Step.ts"

/** A transition that set a field. On an absent side, there is no value. */
export interface FieldWrite {
  readonly tick: number
  readonly type: Ontology.TypeName
  readonly author: Ontology.Author
  /** The tool or the intent, for people. */
  readonly about?: string
  readonly before?: Canonical.Json
  readonly after?: Canonical.Json
}

/**
 * Error for a field that no transition of a run set up to a tick; `later` is the first transition that set it
 * afterwards.
 */
export class FieldUnknown extends Schema.TaggedError<FieldUnknown>("@backstitch/version-control/FieldUnknown")(
  "FieldUnknown",
  {
    field: Schema.String,
    run: Schema.String,
    known: Schema.Array(Schema.String),
    upTo: Schema.Natural,
    later: Schema.optional(Schema.Natural)
  }
) {
  override get message(): string {
    if (this.later !== undefined) {
      return `No transition of run ${this.run} set ${this.field} up to tick ${this.upTo}; tick ${this.later} was the first to`
    }
    const known = this.known.length === 0 ? "The run has no fields" : `The fields are ${this.known.join(", ")}`
    return `No transition of run ${this.run} set ${this.field}. ${known}`
  }
}

/** Reads the value that a step set for a field; `undefined` if the step left it unchanged. */
export const settingOf = (
  { after, before, tool, transition }: Step,
  path: FieldPath.FieldPath
): FieldWrite | undefined => {
  const { field, section } = path
  // An unchanged field is the same object, and then nothing is read.
  if (own(before[section], field) === own(after[section], field)) return undefined
  const [from, to] = [FieldPath.valueAt(before, path), FieldPath.valueAt(after, path)]
  if (from === to || (from !== undefined && to !== undefined && Canonical.equals(from, to))) return undefined
  const { body, tick } = transition
  const about = tool ?? body.intent?.description
  return {
    tick,
    type: body.type,
    author: body.author,
    ...defined({ about, before: from, after: to })
  }
}

const own = <A>(fields: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined
