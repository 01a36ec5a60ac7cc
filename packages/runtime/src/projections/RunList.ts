/** Lists the runs of a store, and the names that are held in it. */
import * as Payload from "@backstitch/kernel/Payload"
import type * as Claims from "@backstitch/trace/Claims"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import * as OpenActionStatus from "../approvals/OpenActionStatus.ts"
import * as Limits from "../Limits.ts"
import * as Lexicon from "../ports/Lexicon.ts"

/** A run at a glance. */
export interface Listed {
  readonly run: string
  readonly ticks: number
  readonly goal: string
  /** Type of the last transition; `missing` if the store does not have the transition that its head names. */
  readonly last: string
  /** ISO times of its own first transition and of its last; empty for a recording without times. */
  readonly started: string
  readonly ended: string
  readonly head: string
  readonly parent: { readonly run: string; readonly tick: number } | null
}

/** Lists runs in order of name. */
export const runs = Effect.fn("RunList.runs")(function* (tenant: Tenant, page: { readonly limit?: number } = {}) {
  const store = yield* TraceStore.TraceStore
  const found = yield* store.runs(tenant, page)
  return yield* Effect.forEach(
    found,
    Effect.fnUntraced(function* ({ head, parent, run }) {
      const own = (parent?.tick ?? 0) + 1
      const [began] = yield* store.read(run, { from: 1, to: 1 })
      const [first] = own === 1 ? [began] : yield* store.read(run, { from: own, to: own })
      const [last] = yield* store.read(run, { from: head.tick, to: head.tick })
      const goal = began === undefined ? undefined : Payload.of(Transition.open(began).body, "run.started")?.goal
      const listed: Listed = {
        run: run.id,
        ticks: head.tick,
        goal: typeof goal === "string" ? goal : "",
        last: last === undefined || last.link !== head.link ? "missing" : Transition.open(last).body.type,
        started: timeOf(first),
        ended: timeOf(last),
        head: head.link,
        parent: parent === undefined ? null : { run: parent.id, tick: parent.tick }
      }
      return listed
    }),
    { concurrency: Limits.pacing.concurrentRunsMax }
  )
})

/** A name that is held: its holder, since when, and how it can be released. */
export interface Claim {
  readonly namespace: Claims.Namespace
  readonly name: string
  readonly run: string
  /** The action, or the run itself. */
  readonly owner: string
  readonly tick: number
  /** ISO time since which it is held. */
  readonly since: string
  /** The step that releases the name; `null` if it is held for ever, for the reason in `forGood`. */
  readonly settle: Next | null
  readonly forGood: string | null
}

/** Lists names that are held in a tenant, of one namespace or of all. */
export const claims = Effect.fn("RunList.claims")(function* (tenant: Tenant, namespace?: Claims.Namespace) {
  const store = yield* TraceStore.TraceStore
  const words = yield* Lexicon.Lexicon
  const held = yield* store.claims(tenant, namespace === undefined ? {} : { namespace })
  return yield* Effect.forEach(
    held,
    Effect.fnUntraced(function* ({ name, namespace, owner, run, tick }) {
      const [sealed] = yield* store.read(run, { from: tick, to: tick })
      // For a damaged run, the holder is still known, but not its actions; `verify` reports the damage.
      const settling =
        namespace === "target"
          ? yield* Effect.orElseSucceed(OpenActionStatus.at(run, owner), () => undefined)
          : undefined
      const hold: Claim = {
        namespace,
        name,
        run: run.id,
        owner,
        tick,
        since: timeOf(sealed),
        settle: namespace === "target" ? (settling?.next ?? OpenActionStatus.resume(run)) : null,
        forGood: namespace === "target" ? null : words.proofs.heldForGood[namespace]({ run: run.id, tick })
      }
      return hold
    }),
    { concurrency: Limits.pacing.concurrentRunsMax }
  )
})

/** A recording without times has 0. */
const timeOf = (sealed: Transition.Sealed | undefined): string => {
  const ts = sealed === undefined ? 0 : Transition.open(sealed).envelope.ts
  return ts === 0 ? "" : new Date(ts).toISOString()
}
