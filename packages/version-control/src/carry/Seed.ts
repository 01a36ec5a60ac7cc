/**
 * Seeding: begins a run with chosen fields of several branches, each with its origin.
 *
 * Tool calls do not commute and effects have happened, so two histories cannot be merged. Instead, a new run begins
 * in a state that is made of artifacts, and its first transition pins run, tick, link and digest of each.
 *
 * Tables of several branches are united if no row differs. Any other field is taken from one branch: if two differ,
 * the seeding is refused, and a person chooses.
 *
 * Laws: every seeded value is the one that its branch committed; the result does not depend on the order of the
 * artifacts.
 *
 * @source Dendrer, section 11.1
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A field of a branch as it was after a tick. `open` names actions that may change it and were not settled by then. */
export interface Artifact {
  readonly run: string
  readonly tick: number
  readonly link: string
  /** `world.name` or `working.name`. */
  readonly field: string
  readonly value: State.StateField | undefined
  readonly open: ReadonlyArray<string>
}

/** The origin of an artifact, committed under `seeds` of `run.started`. */
export interface Provenance extends JsonObject {
  readonly digest: string
  readonly field: string
  readonly link: string
  readonly open?: ReadonlyArray<string>
  readonly run: string
  readonly tick: number
}

/** The sections in which the run begins, and the origins of the chosen fields. */
export interface Seeded {
  readonly sections: Rules.Sections
  readonly seeds: ReadonlyArray<Provenance>
}

/** Error for two branches that do not agree on a field. */
export class SeedConflict extends Schema.TaggedError<SeedConflict>("@backstitch/version-control/SeedConflict")(
  "SeedConflict",
  { field: Schema.String, key: Schema.optionalKey(Schema.String), left: Schema.String, right: Schema.String }
) {
  override get message(): string {
    const where = this.key === undefined ? this.field : `row ${this.key} of ${this.field}`
    return `${this.left} and ${this.right} differ in ${where}, and nobody but you can say which is right. Choose one`
  }
}

/** Error for an artifact that does not fit the pack of the new run. */
export class SeedUnfit extends Schema.TaggedError<SeedUnfit>("@backstitch/version-control/SeedUnfit")("SeedUnfit", {
  artifact: Schema.String,
  found: Schema.Literals(["mismatch", "missing", "undeclared"]),
  /** The expected and the found value, and where in the field; absent unless they differ. */
  mismatch: Schema.optionalKey(Schema.Struct({ expected: Schema.String, found: Schema.String, path: Schema.String })),
  pack: Schema.String
}) {
  override get message(): string {
    const { expected = "", found = "", path = "" } = this.mismatch ?? {}
    const problem = {
      mismatch: `expected ${expected}${path === "" ? "" : ` at ${path}`}, found ${found}`,
      missing: "the run has no such field at that tick",
      undeclared: `the pack ${this.pack} declares no such field`
    }[this.found]
    return `${this.artifact} cannot be part of the beginning: ${problem}`
  }
}

/** Makes the beginning of a run from artifacts, over the sections that its pack declares. */
export const gather = (
  pack: TaskPack.TaskPack,
  initial: Rules.Sections,
  artifacts: ReadonlyArray<Artifact>
): Result.Result<Seeded, SeedConflict | SeedUnfit> => {
  const chosen = new Map<string, { readonly value: State.StateField; readonly from: ReadonlyArray<Artifact> }>()
  const distinct = [...new Map(artifacts.map((artifact) => [format(artifact), artifact])).values()]
  for (const artifact of distinct) {
    const fit = fitting(pack, artifact)
    if (Result.isFailure(fit)) return Result.fail(fit.failure)
    const known = chosen.get(artifact.field)
    const joined =
      known === undefined ? Result.succeed(fit.success) : join(known.value, fit.success, known.from, artifact)
    if (Result.isFailure(joined)) return Result.fail(joined.failure)
    chosen.set(artifact.field, { value: joined.success, from: [...(known?.from ?? []), artifact] })
  }
  const section = (name: "world" | "working"): State.Section => ({
    ...initial[name],
    ...Object.fromEntries(
      [...chosen].flatMap(([field, { value }]) =>
        field.startsWith(`${name}.`) ? [[field.slice(name.length + 1), value] as const] : []
      )
    )
  })
  const seeds = distinct.sort(byPlace).map(provenance)
  return Result.succeed({ sections: { world: section("world"), working: section("working") }, seeds })
}

/** Writes an artifact in the form that people type. */
export const format = ({ field, run, tick }: Pick<Artifact, "field" | "run" | "tick">): string =>
  `${run}@${tick}:${field}`

const provenance = (artifact: Artifact): Provenance => {
  const { field, link, open, run, tick, value } = artifact
  return {
    digest: State.fieldDigest(value!),
    field,
    link,
    ...(open.length === 0 ? {} : { open }),
    run,
    tick
  }
}

const byPlace = (left: Artifact, right: Artifact): number => (format(left) < format(right) ? -1 : 1)

const fitting = (pack: TaskPack.TaskPack, artifact: Artifact): Result.Result<State.StateField, SeedUnfit> => {
  const unfit = (found: SeedUnfit["found"], mismatch?: Field.Mismatch) => {
    const about = { artifact: format(artifact), found, pack: `${pack.id}@${pack.version}` }
    return Result.fail(new SeedUnfit(mismatch === undefined ? about : { ...about, mismatch }))
  }
  const { field, value } = artifact
  const [section, name = "", ...deeper] = field.split(".")
  const fields = section === "world" || section === "working" ? pack.fields[section] : {}
  const declared = deeper.length === 0 && Object.hasOwn(fields, name) ? fields[name] : undefined
  if (declared === undefined) return unfit("undeclared")
  if (value === undefined) return unfit("missing")
  const [mismatch] = mismatches(declared, value)
  return mismatch === undefined ? Result.succeed(value) : unfit("mismatch", mismatch)
}

/** Rows and items are checked one by one, because the pack may differ from the one under which they entered. */
const mismatches = (declared: Field.Field, value: State.StateField): ReadonlyArray<Field.Mismatch> => {
  const other = [Field.mismatch("", value, Field.shapeOf(declared))]
  if (Table.is(value)) {
    if (declared.type !== "table") return other
    return value.sortedEntries().flatMap(([key, row]) => within(key, Field.check(declared.row, row)))
  }
  if (List.is(value)) {
    if (declared.type !== "list") return other
    return [...value].flatMap((item, index) => within(String(index), Field.check(declared.item, item)))
  }
  return declared.type === "table" || declared.type === "list" ? other : Field.check(declared, value)
}

const within = (key: string, found: ReadonlyArray<Field.Mismatch>): ReadonlyArray<Field.Mismatch> =>
  found.map((each) => ({ ...each, path: each.path === "" ? key : `${key}.${each.path}` }))

const join = (
  known: State.StateField,
  value: State.StateField,
  from: ReadonlyArray<Artifact>,
  artifact: Artifact
): Result.Result<State.StateField, SeedConflict> => {
  if (State.fieldDigest(known) === State.fieldDigest(value)) return Result.succeed(known)
  const conflict = (left: Artifact, key?: string) =>
    Result.fail(
      new SeedConflict({
        field: artifact.field,
        ...(key === undefined ? {} : { key }),
        left: format(left),
        right: format(artifact)
      })
    )
  const last = from[from.length - 1]!
  if (!Table.is(known) || !Table.is(value)) return conflict(last)
  let united: Table.Table<Json> = known
  for (const [key, row] of value.entries()) {
    const other = known.get(key)
    if (other !== undefined && !Canonical.equals(other, row)) {
      return conflict(from.find(({ value: each }) => Table.is(each) && each.has(key)) ?? last, key)
    }
    united = united.set(key, row)
  }
  return Result.succeed(united)
}
