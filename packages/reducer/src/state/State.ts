/**
 * The state of a run at one tick, in three sections: its beliefs, its plans, and the data for decisions.
 *
 * - `world` holds beliefs about systems of record. It changes when an action is reconciled, so a belief never precedes
 *   its verification. Only a call of a recorded run, which nobody verified, changes it by its answer (`on_recorded`).
 * - `working` holds plans, notes and observations.
 * - `kernel` holds the data for decisions: one entry for each part of the fold.
 *
 * A field is a JSON value, a `Table` or a `List`. Digests follow the structure and are remembered by object, so
 * digesting a state after a commit costs what the commit changed, not the size of the state.
 *
 * @source docs/decisions/0001
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Limits from "../Limits.ts"

/** One field: a value, a table of rows by key, or a list of items. */
export type StateField = Canonical.Json | Table.Table<Canonical.Json> | List.List<Canonical.Json>

/** Fields by name. */
export interface Section {
  readonly [name: string]: StateField
}

/** A state. See the module. */
export interface State {
  readonly world: Section
  readonly working: Section
  readonly kernel: Section
}

/** The state before the first transition, without declared fields. */
export const empty: State = { world: {}, working: {}, kernel: {} }

/** Digests one field: its kind and its content. */
export const fieldDigest = (field: StateField): string => {
  if (Table.is(field)) return `table:${field.digest()}`
  if (List.is(field)) return `list:${field.digest()}`
  if (typeof field !== "object" || field === null) return `value:${valueDigest(field)}`
  const known = values.get(field)
  if (known !== undefined) return known
  const digest = `value:${valueDigest(field)}`
  values.set(field, digest)
  return digest
}

/** Digests a section by the digests of its fields. */
export const sectionDigest = (section: Section): Digest.Digest => {
  const latest = latestOf(section)
  if (latest.section === section) return latest.digest
  let text = ""
  for (const line of latest.lines) {
    const field = section[line.name]!
    if (field !== line.field) {
      line.text = `${line.quoted} ${fieldDigest(field)}\n`
      line.field = field
    }
    text += line.text
  }
  latest.digest = Digest.ofText("backstitch.section.1", text)
  latest.section = section
  return latest.digest
}

/** Digests a state by the digests of its sections (L2). */
export const digest = (state: State): Digest.Digest =>
  Digest.ofText(
    "backstitch.state.1",
    `kernel ${sectionDigest(state.kernel)}\nworking ${sectionDigest(state.working)}\nworld ${sectionDigest(
      state.world
    )}\n`
  )

/** Writes a field as plain JSON, for printing and for comparing. */
export const fieldToJson = (field: StateField): Canonical.Json =>
  Table.is(field) ? field.toJson() : List.is(field) ? [...field] : field

/** Writes a section as plain JSON, for printing and for comparing. */
export const sectionToJson = (section: Section): Canonical.JsonObject =>
  Object.fromEntries(Object.entries(section).map(([name, field]) => [name, fieldToJson(field)]))

/** Writes a state as plain JSON, for printing and for comparing. */
export const toJson = (state: State): Canonical.JsonObject => ({
  kernel: sectionToJson(state.kernel),
  working: sectionToJson(state.working),
  world: sectionToJson(state.world)
})

const values = new WeakMap<object, string>()

/** The last digested section among those with the same field names. Most fields of the next one are equal. */
interface Latest {
  readonly names: ReadonlyArray<string>
  /** In the order of the names. */
  readonly lines: ReadonlyArray<Line>
  section: Section | undefined
  digest: Digest.Digest
}

interface Line {
  readonly name: string
  readonly quoted: string
  field: StateField | undefined
  text: string
}

const latests: Array<Latest> = []

const latestOf = (section: Section): Latest => {
  const names = Object.keys(section)
  for (const latest of latests) if (isSame(names, latest.names)) return latest
  const lines = names.toSorted().map((name) => ({ name, quoted: JSON.stringify(name), field: undefined, text: "" }))
  const latest: Latest = { names, lines, section: undefined, digest: Digest.zero }
  if (latests.push(latest) > Limits.pacing.writtenSectionsMax) latests.shift()
  return latest
}

const isSame = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean => {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false
  return true
}

const valueDigest = (value: Canonical.Json): Digest.Digest => Digest.ofBytes(Canonical.encode(value))
