/**
 * Puts fields of `working` back, as a JSON Patch (RFC 6902) that a transition carries.
 *
 * A restore is a transition like any other and contains its changes, so the fold stays a function of state and
 * transition. It cannot change `world`: beliefs change back only by a reconciled reversal.
 *
 * Laws: applying a patch changes only the fields that it names; applying it twice has the same result as applying it
 * once.
 *
 * @source docs/decisions/0001, 0031; RFC 6902
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import type { Body } from "@backstitch/trace/Transition"
import * as Payload from "../state/Payload.ts"
import { fieldToJson, type Section, type StateField } from "../state/State.ts"

/** One change: `path` names a field, a row of a table or an item of a list below `/working`. */
export interface PatchChange extends JsonObject {
  readonly op: "add" | "remove" | "replace"
  readonly path: string
  readonly value?: Json
}

/** Changes, in order. */
export type WorkingPatch = ReadonlyArray<PatchChange>

/** Writes a path below `/working` (RFC 6901). */
export const pathOf = (...place: ReadonlyArray<string>): string =>
  ["", "working", ...place.map((each) => each.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/")

/**
 * Applies a patch to `working`. A field that the patch names and the section does not have is left alone.
 *
 * **Example** (Taking back a search)
 *
 * ```ts import.meta.vitest
 * import { WorkingPatch } from "@backstitch/reducer"
 *
 * const working = { flights: ["LX1"], note: "kept" }
 * const patch = [{ op: "replace", path: "/working/flights", value: null }] as const
 *
 * WorkingPatch.apply(working, patch) // => { flights: null, note: "kept" }
 * ```
 */
export const apply = (working: Section, patch: WorkingPatch): Section => {
  const fields: { [name: string]: StateField } = { ...working }
  for (const change of patch) {
    const [, section, name, inner] = change.path.split("/").map(unescaped)
    if (section !== "working" || name === undefined) continue
    const { op, value = null } = change
    const field = fields[name]
    if (inner === undefined) {
      if (op === "remove") delete fields[name]
      else fields[name] = value
    } else if (Table.is(field)) {
      fields[name] = op === "remove" ? field.delete(inner) : field.set(inner, value)
    } else if (List.is(field)) {
      fields[name] = item(field, Number(inner), change)
    }
  }
  return fields
}

/** A list loses its last item, or one of its items is replaced. */
const item = (list: List.List<Json>, index: number, { op, value = null }: PatchChange): List.List<Json> => {
  if (op !== "remove") return index < list.length ? list.set(index, value) : list
  return index === list.length - 1 ? List.from([...list].slice(0, -1)) : list
}

/** A field of `working`, or one row of it. */
export interface PatchedField {
  readonly name: string
  readonly row?: string | undefined
}

/**
 * Makes the patch that changes some places back to their values in an earlier section. A list that has lost items
 * since then gets none of them back.
 */
export const toward = (now: Section, then: Section, places: ReadonlyArray<PatchedField>): WorkingPatch => {
  const changes = new Map<string, PatchChange>()
  for (const { name, row } of places) {
    for (const change of row === undefined ? ofField(name, now[name], then[name]) : ofRow(name, row, [now, then])) {
      changes.set(change.path, change)
    }
  }
  return [...changes.values()]
}

const ofRow = (name: string, row: string, [now, then]: readonly [Section, Section]): WorkingPatch => {
  const [is, was] = [now[name], then[name]]
  if (!Table.is(is) || !Table.is(was)) return ofField(name, is, was)
  return changed(pathOf(name, row), is.get(row), was.get(row))
}

const ofField = (name: string, is: StateField | undefined, was: StateField | undefined): WorkingPatch => {
  if (Table.is(is) && Table.is(was)) {
    return [...Table.changes(was, is)].flatMap(({ after, before, key }) => changed(pathOf(name, key), after, before))
  }
  if (List.is(is) && List.is(was)) {
    const added = Array.from({ length: Math.max(0, is.length - was.length) }, (_, index) => is.length - 1 - index)
    return [
      ...added.map((index) => ({ op: "remove", path: pathOf(name, String(index)) }) as const),
      ...[...List.changes(was, is)].flatMap(({ before, index }) =>
        before === undefined || index >= is.length
          ? []
          : [{ op: "replace", path: pathOf(name, String(index)), value: before } as const]
      )
    ]
  }
  return changed(pathOf(name), is && fieldToJson(is), was && fieldToJson(was))
}

const changed = (path: string, is: Json | undefined, was: Json | undefined): WorkingPatch => {
  if (was === undefined) return is === undefined ? [] : [{ op: "remove", path }]
  if (is === undefined) return [{ op: "add", path, value: was }]
  return Canonical.equals(is, was) ? [] : [{ op: "replace", path, value: was }]
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~")

/** The patch of a transition, if it is a restore. */
export const of = (body: Pick<Body, "data" | "type">): WorkingPatch | undefined =>
  Payload.of(body, "recovery.decided")?.plan?.restore?.patch
