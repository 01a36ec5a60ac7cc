/**
 * What a run handle reads off a decision.
 *
 * @since 0.1.0
 */
import type * as Claimed from "@backstitch/kernel/Claimed"
import type { Command } from "@backstitch/kernel/Command"
import type { Decision } from "@backstitch/kernel/Decision"
import type * as Import from "@backstitch/kernel/Import"
import { type Digest, isDigest } from "@backstitch/trace/Digest"

/** What is learnt of a command between the times that it is decided. */
export interface Learnt {
  /** How often the same act failed for good elsewhere, or was undone there. */
  readonly generation: number
  /** The context that it was decided in first. */
  readonly context?: Digest | undefined
  /** What another run did already, under its key. */
  readonly adopted?: Import.Adopted | undefined
  /** The key that the history before a fork was asked for. */
  readonly looked?: string | undefined
}

/** A command with what was learnt of it since it was first decided. */
export const informed = (asked: Command, { adopted, context, generation }: Learnt): Command => {
  switch (asked._tag) {
    case "Propose":
      return { ...asked, context, generation }
    case "Import":
      return { ...asked, context: asked.context ?? context, generation, adopted }
    case "Complete":
      return { ...asked, generation }
    default:
      return asked
  }
}

/** The action that a decision is about, once it is committed: its id follows from the tick. */
export const actionOf = ({ next }: Decision): string | undefined =>
  "request" in next ? next.request.action : undefined

/** The hash of the request that a decision starts. */
export const requestHashOf = ({ drafts }: Decision): string | undefined =>
  drafts.find(({ body }) => body.type === "action.started")?.body.action?.requestHash

/** The same act failed for good in another run, or was undone there: that ends the generation of its key. */
export const isFailed = (holder: Claimed.Holder | undefined, decision: Decision): boolean =>
  (holder?.settled?.status === "error" || holder?.settled?.status === "undone") &&
  holder.requestHash === requestHashOf(decision)

/** The same act succeeded in another run: it is not done again. */
export const isDone = (
  holder: Claimed.Holder | undefined,
  decision: Decision
): holder is Claimed.Holder & { readonly settled: NonNullable<Claimed.Holder["settled"]> } =>
  holder?.settled?.status === "ok" && holder.requestHash === requestHashOf(decision)

/** The hash of the context that an intent was decided in. */
export const contextOf = (decision: Decision): Digest | undefined => {
  for (const { body } of decision.drafts) {
    if (isDigest(body.intent?.contextHash)) return body.intent.contextHash
  }
  return undefined
}
