/** Lists the names that are held in a store, with their holders, and how each is released. */
import type * as Claims from "@backstitch/trace/Claims"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import { timeOf } from "./RunList.ts"

/** A name that is held: its holder, since when, and how it can be released. */
export interface ListedClaim {
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

/** Lists names that are held in a tenant: of one namespace or of all, and of one name or of all. */
export const claims = Effect.fn("ClaimList.claims")(function* (
  tenant: Tenant,
  filter: { readonly namespace?: Claims.Namespace | undefined; readonly name?: string | undefined } = {}
) {
  const store = yield* TraceStore.TraceStore
  const words = yield* Lexicon.Lexicon
  const held = yield* store.claims(tenant, filter)
  return yield* Effect.forEach(
    held,
    Effect.fnUntraced(function* ({ name, namespace, owner, run, tick }) {
      const [sealed] = yield* store.read(run, { from: tick, to: tick })
      // For a damaged run, the holder is still known, but not its actions; `verify` reports the damage.
      const settling =
        namespace === "target"
          ? yield* Effect.orElseSucceed(OpenActionStatus.at(run, owner), () => undefined)
          : undefined
      const hold: ListedClaim = {
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
