/**
 * Which subtask wrote which field of `working`, and the earlier content, which is needed to put it back.
 *
 * A scope is an instance of a subtask. Its actions name it when they are requested or started. Changes by their
 * answers belong to the scope, and all other changes to the run. Undoing a scope raises its epoch: a later answer to
 * an action of an older epoch settles the ledger and the world, and no longer changes `working`.
 *
 * @source docs/decisions/0031
 */

import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Part from "../state/Part.ts"
import type { views } from "../state/Payload.ts"
import * as State from "../state/State.ts"
import * as WorkingPatch from "./WorkingPatch.ts"

/**
 * The content of a field before a scope first wrote to it: a value, a row, or the length and items of a list. `other`
 * names another scope that has written to it since.
 */
interface Write extends JsonObject {
  readonly tick: number
  readonly before?: Json | undefined
  readonly items?: JsonObject | undefined
  readonly length?: number | undefined
  readonly other?: string | undefined
}

type Self = Table.Table<Json>

/** The name for the whole run, which is no subtask. */
const run = "run"

/** The name of a scope: the skeleton and the entity of its instance. */
export const nameOf = (skeleton: string, entity: Json): string => Canonical.encode([skeleton, entity])

/** The part of the fold that keeps scopes: their actions, their writes and their epochs. */
export const part: Part.Part<Self> = Part.make<Self, typeof views>("scopes", {
  version: 1,
  init: Table.empty,
  on: {
    "action.request": (self, { body }) => enlisted(self, body, body.data?.within),
    "action.started": (self, { body }) => enlisted(self, body, body.data?.undo?.within),
    "recovery.decided": (self, { body, tick }) =>
      (body.data?.plan?.scopes ?? []).reduce((all, each) => raise(all, each, tick), self),
    // A fork undoes nothing that its parent did.
    "run.fork": () => Table.empty
  }
})

/** A scope that is undone, and the epoch that begins for it. */
export interface RaisedEpoch extends JsonObject {
  readonly epoch: number
  readonly scope: string
}

/**
 * A plan that puts scopes back: the patch, the digest of `working` after it, the actions to mask, and the epochs to
 * raise. `overwritten` names fields that another scope has written since: then there is no patch.
 */
export interface ScopeRestore {
  readonly digest: string
  readonly masks: ReadonlyArray<string>
  readonly overwritten: ReadonlyArray<{ readonly by: string; readonly path: string }>
  readonly patch: WorkingPatch.WorkingPatch
  readonly scopes: ReadonlyArray<RaisedEpoch>
}

/** Plans to put `working` back to its content before the given scopes. */
export const restore = (state: State.State, names: ReadonlyArray<string>): ScopeRestore => {
  const self = Part.get(part, state)
  const masks: Array<readonly [number, string]> = []
  const places = new Map<string, Write>()
  const overwritten: Array<{ readonly by: string; readonly path: string }> = []
  for (const [key, value] of self) {
    if (key.startsWith(actionKey)) {
      const { scopes, tick } = value as { readonly scopes: ReadonlyArray<string>; readonly tick: number }
      if (scopes.some((scope) => names.includes(scope))) masks.push([tick, key.slice(actionKey.length)])
    }
    if (!key.startsWith(writeKey)) continue
    const place = key.slice(writeKey.length)
    for (const [scope, write] of Object.entries(value as { readonly [scope: string]: Write })) {
      if (!names.includes(scope)) continue
      const { other, tick } = write
      if (other !== undefined && !names.includes(other)) overwritten.push({ by: other, path: pathOf(place) })
      const known = places.get(place)
      if (known === undefined || tick < known.tick) places.set(place, write)
    }
  }
  const changes = [...places].sort(([one], [other]) => (one < other ? -1 : 1))
  const patch =
    overwritten.length > 0 ? [] : changes.flatMap(([place, write]) => changesOf(state.working, place, write))
  return {
    digest: State.sectionDigest(WorkingPatch.apply(state.working, patch)),
    masks: masks.sort(([one], [other]) => one - other).map(([, action]) => action),
    overwritten,
    patch,
    scopes: [...new Set(names)].map((scope) => ({ epoch: epochOf(self, scope).epoch + 1, scope }))
  }
}

/** Tells whether a transition reports an answer from an ended epoch, which may no longer change `working`. */
export const isMasked = (before: State.State, { body }: Transition): boolean => {
  const self = Part.get(part, before)
  if (self.size === 0 || body.type !== "action.result") return false
  const open = openOf(before, body)
  const since = open?.tick ?? 0
  return scopesOf(open).some((scope) => since < epochOf(self, scope).raised)
}

/** Records which fields of `working` a transition has changed, by scope. */
export const written = (self: Self, before: State.State, after: State.Section, transition: Transition): Self => {
  const own = scopesOf(openOf(before, transition.body))
  if ((own.length === 0 && self.size === 0) || WorkingPatch.of(transition.body) !== undefined) return self
  let next = self
  for (const name of Object.keys(after)) {
    const [was, is] = [before.working[name], after[name]]
    if (was === is || is === undefined) continue
    for (const [place, write] of writesOf(name, was, is)) {
      const key = `${writeKey}${place}`
      const known = (next.get(key) ?? {}) as { readonly [scope: string]: Write }
      if (own.length === 0 && Object.keys(known).length === 0) continue
      next = next.set(key, noted(known, own, { ...write, tick: transition.tick }))
    }
  }
  return next
}

const actionKey = "action "
const epochKey = "epoch "
const writeKey = "write "

const enlisted = (self: Self, { action }: Pick<Body, "action">, within: Json | undefined): Self => {
  const names = namesOf(within)
  return action === undefined || names.length === 0 || self.has(`${actionKey}${action.id}`)
    ? self
    : self.set(`${actionKey}${action.id}`, { scopes: names, tick: Number(action.id.slice(1)) })
}

/** Forgets the writes and actions of a scope, and keeps only its epoch. */
const raise = (self: Self, { epoch, scope }: RaisedEpoch, tick: number): Self => {
  let next: Self = self.set(`${epochKey}${scope}`, { epoch, raised: tick })
  for (const [key, value] of self) {
    if (key.startsWith(actionKey)) {
      const { scopes } = value as { readonly scopes: ReadonlyArray<string> }
      if (scopes.includes(scope)) next = next.delete(key)
    } else if (key.startsWith(writeKey)) {
      const { [scope]: gone, ...others } = value as JsonObject
      if (gone === undefined) continue
      next = Object.keys(others).length === 0 ? next.delete(key) : next.set(key, others)
    }
  }
  return next
}

const epochOf = (self: Self, scope: string): { readonly epoch: number; readonly raised: number } =>
  (self.get(`${epochKey}${scope}`) as { readonly epoch: number; readonly raised: number } | undefined) ?? {
    epoch: 0,
    raised: 0
  }

/** A scope goes back to the content before its first write. A write by another scope is noted as such. */
const noted = (known: { readonly [scope: string]: Write }, own: ReadonlyArray<string>, write: Write): JsonObject => {
  const entries = Object.entries(known).map(([scope, each]): readonly [string, Write] => {
    const kept = merged(each, write)
    return [scope, own.includes(scope) || kept.other !== undefined ? kept : { ...kept, other: own[0] ?? run }]
  })
  const first = own.filter((scope) => known[scope] === undefined).map((scope) => [scope, write] as const)
  return Object.fromEntries([...entries, ...first])
}

/** For a list, the first items are kept when they change, whoever changes them. */
const merged = (first: Write, { items = {} }: Write): Write => {
  const { length } = first
  if (length === undefined) return first
  const more = Object.entries(items).filter(([index]) => Number(index) < length)
  return { ...first, items: { ...Object.fromEntries(more), ...first.items } }
}

/** Lists the previous content of a changed field, part by part. */
function* writesOf(
  name: string,
  was: State.StateField | undefined,
  is: State.StateField
): Generator<readonly [string, Omit<Write, "tick">]> {
  if (Table.is(was) && Table.is(is)) {
    for (const { before, key } of Table.changes(was, is)) {
      yield [Canonical.encode([name, key]), before === undefined ? {} : { before }]
    }
  } else if (List.is(was) && List.is(is)) {
    const items = [...List.changes(was, is)].flatMap(({ before, index }) =>
      before === undefined ? [] : [[String(index), before] as const]
    )
    yield [Canonical.encode([name]), { items: Object.fromEntries(items), length: was.length }]
  } else {
    yield [Canonical.encode([name]), was === undefined ? {} : { before: State.fieldToJson(was) }]
  }
}

/** The changes that put one part back. */
const changesOf = (working: State.Section, place: string, write: Write): WorkingPatch.WorkingPatch => {
  const [name = "", key] = JsonText.read(place) as ReadonlyArray<string>
  const field = working[name]
  const { before, items = {}, length } = write
  if (length !== undefined && List.is(field)) {
    const added = Array.from({ length: Math.max(0, field.length - length) }, (_, index) => field.length - 1 - index)
    return [
      ...added.map((index) => ({ op: "remove", path: WorkingPatch.pathOf(name, String(index)) }) as const),
      ...Object.entries(items).map(([index, value]) => {
        return { op: "replace", path: WorkingPatch.pathOf(name, index), value: value ?? null } as const
      })
    ]
  }
  const path = pathOf(place)
  if (before === undefined) return [{ op: "remove", path }]
  const isThere = key === undefined ? field !== undefined : Table.is(field) && field.has(key)
  return [{ op: isThere ? "replace" : "add", path, value: before }]
}

const pathOf = (place: string): string => WorkingPatch.pathOf(...(JsonText.read(place) as ReadonlyArray<string>))

/** The fields of an open action that name its scopes. */
interface Open {
  readonly tick: number
  readonly undo?: JsonObject
  readonly within?: JsonObject
}

const openOf = (state: State.State, { action }: Body): Open | undefined =>
  (state.kernel["actions"] as { readonly [id: string]: Open | undefined } | undefined)?.[action?.id ?? ""]

const scopesOf = (open: Open | undefined): ReadonlyArray<string> => namesOf(open?.within ?? open?.undo?.["within"])

const namesOf = (within: Json | undefined): ReadonlyArray<string> =>
  Object.entries(Canonical.objectOf(within)).map(([skeleton, entity]) => nameOf(skeleton, entity ?? null))
