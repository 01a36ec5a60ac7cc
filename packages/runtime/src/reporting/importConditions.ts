/**
 * The conditions under which an intent of another run was admitted: the compared fields, and their values on either
 * side.
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import type { ExplainedCheck } from "./ExplainedCheck.ts"

/**
 * The comparison in `run.cherrypick`, as conditions. A warning is a condition that does not hold and prevents
 * nothing.
 */
export const importConditions = (
  data: JsonObject,
  words: Words
): { readonly why: string; readonly checks: ReadonlyArray<ExplainedCheck> } => {
  const { adopted, contract, fields, recorded, source, warnings } = data
  const { run, tick } = Canonical.objectOf(source)
  const done = Canonical.objectOf(adopted)
  const why = words.explanations.imported({
    adopted: adopted === undefined ? undefined : { action: text(done["action"]), run: text(done["run"]) },
    isRecorded: recorded !== undefined,
    run: text(run),
    tick: text(tick)
  })
  const compared = Object.entries(Canonical.objectOf(fields)).map(([id, sides]) => {
    const { source: there = null, target: here = null } = Canonical.objectOf(sides)
    return { ok: true, step: "context", id, values: { here, there } }
  })
  const warned = (Array.isArray(warnings) ? (warnings as ReadonlyArray<Json>) : []).map((warning) => ({
    ok: false,
    step: "advisory",
    id: "warning",
    found: Wording.tell(warning, words)
  }))
  return { why, checks: [{ ok: true, step: "contract", id: text(contract) }, ...compared, ...warned] }
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : Canonical.encode(value ?? null))
