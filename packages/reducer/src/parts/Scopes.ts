/**
 * Which subtask wrote which place of `working`, and what was there before: what it takes to put it back.
 *
 * A scope is an instance of a subtask. Its actions say so when they are
 * requested or started; what their answers wrote is theirs, and everything else
 * is the run's. Undoing a scope raises its epoch: what an action of an older
 * epoch still answers settles the ledger and the world, and writes nothing into
 * `working` any more.
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
 * The content of a place before a scope first wrote there: a value, a row, or the length and the items of a list.
 * `other` names another scope that has written there since.
 */
interface Write extends JsonObject {
  readonly tick: number
  readonly before?: Json | undefined
  readonly items?: JsonObject | undefined
  readonly length?: number | undefined
  readonly other?: string | undefined
}

type Self = Table.Table<Json>

/** The run as a whole, which is no subtask. */
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
export interface Raised extends JsonObject {
  readonly epoch: number
  readonly scope: string
}

/**
 * A plan that puts scopes back: the patch, the digest of `working` after it, the actions to mask, the epochs to raise.
 * `overwritten` names places that somebody else has written since: then there is no patch.
 */
export interface Restore {
  readonly digest: string
  readonly masks: ReadonlyArray<string>
  readonly overwritten: ReadonlyArray<{ readonly by: string; readonly path: string }>
  readonly patch: WorkingPatch.WorkingPatch
  readonly scopes: ReadonlyArray<Raised>
}

/** Plans to put `working` back to its content before some scopes. */
export const restore = (state: State.State, names: ReadonlyArray<string>): Restore => {
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

/**
 * Tells whether what a transition reports belongs to an epoch that is over: it may not write into `working` any more.
 */
export const isMasked = (before: State.State, { body }: Transition): boolean => {
  const self = Part.get(part, before)
  if (self.size === 0 || body.type !== "action.result") return false
  const open = openOf(before, body)
  const since = open?.tick ?? 0
  return scopesOf(open).some((scope) => since < epochOf(self, scope).raised)
}

/** Records which places of `working` a transition has written, by its scopes. */
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

/** Forgets the writes and actions of a scope, and keeps its epoch alone. */
const raise = (self: Self, { epoch, scope }: Raised, tick: number): Self => {
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

/** The first write of a scope is what it goes back to; a write of somebody else is remembered as such. */
const noted = (known: { readonly [scope: string]: Write }, own: ReadonlyArray<string>, write: Write): JsonObject => {
  const entries = Object.entries(known).map(([scope, each]): readonly [string, Write] => {
    const kept = merged(each, write)
    return [scope, own.includes(scope) || kept.other !== undefined ? kept : { ...kept, other: own[0] ?? run }]
  })
  const first = own.filter((scope) => known[scope] === undefined).map((scope) => [scope, write] as const)
  return Object.fromEntries([...entries, ...first])
}

/** Of a list, items that were there at first and change now, whoever changes them, are kept as they were. */
const merged = (first: Write, { items = {} }: Write): Write => {
  const { length } = first
  if (length === undefined) return first
  const more = Object.entries(items).filter(([index]) => Number(index) < length)
  return { ...first, items: { ...Object.fromEntries(more), ...first.items } }
}

/** Lists the previous content of a field that has changed, place by place. */
function* writesOf(
  name: string,
  was: State.Field | undefined,
  is: State.Field
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

/** The changes that put one place back. */
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

/** An open action, as far as its scopes are concerned. */
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
