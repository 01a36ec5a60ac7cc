/** Finds the run, and the tick, that an address names in a store. */
import type { RunId, Tenant } from "@backstitch/trace/Run"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Address from "@backstitch/version-control/Address"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import * as History from "./History.ts"

/** A run and one of its ticks. `tick` is absent if the whole run is meant. */
export interface RunTick {
  readonly run: Run.Run
  readonly tick: number | undefined
}

/** A place and, if one is named, a field at that tick. */
export interface Artifact extends RunTick {
  readonly field: string | undefined
}

/** The run that has the given name, or whose name begins with it. */
export const run = Effect.fnUntraced(function* (name: string, tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const exact = yield* Effect.mapError(
    Effect.try(() => Run.make(name, tenant)),
    () => new Address.AddressInvalid({ text: name })
  )
  if ((yield* store.info(exact)) !== undefined) return exact
  const names: Array<string> = []
  let after: RunId | undefined
  for (;;) {
    const page: ReadonlyArray<TraceStore.RunInfo> = yield* store.runs(tenant, {
      after,
      limit: Limits.pacing.pageRowsMax
    })
    names.push(...page.map((info) => info.run.id).filter((id) => id.startsWith(name)))
    if (page.length < Limits.pacing.pageRowsMax) break
    after = page[page.length - 1]?.run.id
  }
  const chosen = yield* Effect.fromResult(Address.choose(name, names))
  // No name begins with it. The history suggests similar names.
  return chosen === undefined ? (yield* history.info(exact)).run : Run.make(chosen, tenant)
})

/** Finds the run, tick and field that an address names. A named tick has to exist. */
export const artifact = Effect.fnUntraced(function* (text: string, tenant: Tenant) {
  const history = yield* History.History
  const address = yield* Effect.fromResult(Address.parse(text))
  const found = yield* run(address.run, tenant)
  const named: Artifact = { run: found, tick: undefined, field: address.field }
  if (!Address.namesTick(address)) return named
  const { head } = yield* history.info(found)
  const tick = yield* Effect.fromResult(Address.tickOf(address, { run: found.id, last: head.tick }))
  return { ...named, tick }
})

/** The run and the tick that an address names. The address may name no field. */
export const place = Effect.fnUntraced(function* (text: string, tenant: Tenant) {
  const { field, ...place } = yield* artifact(text, tenant)
  return field === undefined ? place : yield* new Address.AddressUnsuited({ text, wanted: "place" })
})

/** The run that an address names. The address may name no tick and no field. */
export const whole = Effect.fnUntraced(function* (text: string, tenant: Tenant) {
  const { field, run, tick } = yield* artifact(text, tenant)
  return tick === undefined && field === undefined ? run : yield* new Address.AddressUnsuited({ text, wanted: "run" })
})
