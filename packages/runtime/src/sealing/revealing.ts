/** Shows a planner the values that its contract lets it see, in place of their commitments. */

import * as Sensitive from "@backstitch/contracts/Sensitive"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as List from "@backstitch/trace/List"
import type { Run } from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Table from "@backstitch/trace/Table"
import * as Effect from "effect/Effect"
import type * as PlannerView from "../planner/PlannerView.ts"
import type * as Sealing from "./Sealing.ts"

/** Opens the sealed values in a planner's view, as far as the contract permits it and the keys exist. */
export const shown = Effect.fnUntraced(function* (
  sealing: Sealing.Sealing["Service"] | undefined,
  about: { readonly pack: TaskPack.TaskPack | undefined; readonly run: Run; readonly view: PlannerView.PlannerView }
) {
  const { pack, run, view } = about
  if (sealing === undefined || !isShowing(pack)) return view
  const opened = yield* sealing.open(run.tenant, commitmentsOf(view))
  return revealed(view, shownIn(opened))
})

/** Values that a contract lets planners see. */
const shownIn = (opened: ReadonlyMap<Digest, Sealing.Opened>): ReadonlyMap<Digest, Json> =>
  new Map([...opened].flatMap(([commitment, { shown, value }]) => (shown ? [[commitment, value] as const] : [])))

/** Tells whether a contract lets planners see any sealed value. */
const isShowing = (pack: TaskPack.TaskPack | undefined): boolean => {
  if (pack === undefined) return false
  const known = memory.get(pack)
  if (known !== undefined) return known
  const answer = Sensitive.entriesOf(pack).some(shows)
  memory.set(pack, answer)
  return answer
}

const memory = new WeakMap<TaskPack.TaskPack, boolean>()

const shows = (field: Field.Field): boolean => {
  if (field.sensitive !== undefined) return field.sensitive.planner === true
  if (field.type === "object") return Object.values(field.fields).some(shows)
  if (field.type === "table") return shows(field.row)
  return field.type === "list" && shows(field.item)
}

/** The commitments in a planner's view. */
const commitmentsOf = (view: PlannerView.PlannerView): ReadonlyArray<Digest> => {
  const found = new Set<Digest>()
  walk(partsOf(view), (sealed) => {
    found.add(sealed.$sealed)
    return sealed
  })
  return [...found]
}

/** Replaces commitments in a view by their values, if these are known. */
const revealed = (view: PlannerView.PlannerView, known: ReadonlyMap<Digest, Json>): PlannerView.PlannerView =>
  known.size === 0
    ? view
    : (walk(partsOf(view), (sealed) =>
        known.has(sealed.$sealed) ? known.get(sealed.$sealed) : sealed
      ) as PlannerView.PlannerView)

/** Copies the view with its getters evaluated. */
const partsOf = (view: PlannerView.PlannerView): PlannerView.PlannerView => {
  const { actions, last, records, remaining, specification, state, tools } = view
  return { actions, last, records, remaining, specification, state, tools }
}

const walk = (value: unknown, visit: (sealed: SealedValue.SealedValue) => unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (SealedValue.isSealedValue(value)) return visit(value)
  if (Table.is(value)) return Table.from([...value.entries()].map(([key, row]) => [key, walk(row, visit) as Json]))
  if (List.is(value)) return List.from([...value].map((item) => walk(item, visit) as Json))
  if (Array.isArray(value)) return value.map((item) => walk(item, visit))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each, visit)]))
}
