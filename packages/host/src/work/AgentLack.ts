/**
 * Finds that a host lacks the agent of a run: it has none of that name, or has it under another pack than the run.
 *
 * Nothing of such a run has failed, and another host on its store may have the agent. So the run stays as it is, and
 * waits. It goes on by itself on a host that has its agent, and with another agent once somebody resumes it with one.
 */
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Assignments from "./Assignments.ts"
import type * as HostAgents from "./HostAgents.ts"

/** A run that waits for its agent, and the reason in words. */
export interface AgentLack {
  readonly run: Run
  readonly agent: string
  readonly why: string
}

/** Finds whether a host lacks the agent of a run, whose pack has the given digest; `undefined` if it has the agent. */
export const of = Effect.fnUntraced(function* (
  { find }: Pick<HostAgents.HostAgents, "find">,
  { agent, run }: Pick<Assignments.Assignment, "agent" | "run">,
  pack: string | undefined
) {
  const file = yield* Effect.orElseSucceed(find(agent), () => undefined)
  const lack = (has: string): AgentLack => ({ run, agent, why: `It waits for its agent ${agent}${has}. ${ways}` })
  if (file === undefined) return lack(", which this server does not have")
  const has = file.pack.digest
  if (pack === undefined || pack === has) return undefined
  return lack(` under pack ${short(pack)}, which this server does not have: here it works under ${short(has)}`)
})

const ways = "It goes on by itself on a server that has it, or once it is resumed with another agent under its pack"

const short = (digest: string): string => digest.slice(0, 12) || "none"

/** Finds whether a turn on a run has failed because its host lacks the agent. */
export const ofCause = (
  agents: Pick<HostAgents.HostAgents, "find">,
  assignment: Pick<Assignments.Assignment, "agent" | "run">,
  cause: Cause.Cause<unknown>
): Effect.Effect<AgentLack | undefined> => {
  const error = Cause.squash(cause)
  if (Predicate.isTagged(error, "AgentUnknown")) return of(agents, assignment, undefined)
  // A run that follows another one may be under another pack, too, and is told by its own name.
  const isOwn = Predicate.isTagged(error, "PackChanged") && "run" in error && error.run === assignment.run.id
  return isOwn && "pinned" in error ? of(agents, assignment, String(error.pinned)) : Effect.undefined
}

/** Lists those of a tenant, in the order of their names. */
export const ofTenant = (lacks: ReadonlySet<AgentLack>) => (tenant: Tenant) =>
  Effect.sync(() =>
    [...lacks].filter(({ run }) => run.tenant === tenant).sort((left, right) => (left.run.id < right.run.id ? -1 : 1))
  )
