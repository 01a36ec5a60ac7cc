/**
 * The commit path of an intent that was committed in another run.
 *
 * An imported intent passes every step that a proposal passes, under the target's contract and in the target's state.
 * `run.cherrypick` is committed before it and names its origin. An intent that is refused commits nothing.
 *
 * | the act | committed after `run.cherrypick` |
 * | --- | --- |
 * | may happen here | the intent; the tool is called |
 * | was done by another run, which holds its key | the request under that key; its outcome is asked for, nothing sent |
 * | must not happen again, and is on record | the request and its outcome, settled on the basis `recorded` |
 * | is in this history already, begun or settled | only `run.cherrypick`; with `silent`, nothing |
 *
 * An observation of the other run never stands for one of this run.
 *
 * @source Dendrer, sections 4.4 and 9.6
 */

import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Trust from "@backstitch/ledger/Trust"
import type { State } from "@backstitch/reducer/State"
import { defined } from "@backstitch/trace/Defined"
import type { Digest } from "@backstitch/trace/Digest"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import type * as CherryPick from "@backstitch/version-control/CherryPick"
import type * as Rebase from "@backstitch/version-control/Rebase"
import type { Command } from "../decision/Command.ts"
import type { Adopted } from "../decision/CommandFacts.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end, lookAt } from "../decision/Decision.ts"
import type { Done } from "../decision/Outcome.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as StoreQuery from "../decision/StoreQuery.ts"
import * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import { requestOf, takingOver, withStart } from "./adoption.ts"
import * as Deduplication from "./Deduplication.ts"
import * as Propose from "./Propose.ts"

/** Decides an import. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: Command & { readonly _tag: "Import" }
): Decision => {
  const { context, generation, met, origin, proposal, recorded } = command
  // A person who imports an act wants exactly this act.
  const wanted = { proposal, context, generation, met, isWanted: true }
  const first = Propose.decide(terms, state, wanted)
  const ended = first.next._tag === "End" ? first.next.outcome : undefined
  const refused = ended?._tag === "Refused"
  // If a person has to approve, they are asked; a refusal leaves no trace.
  if (ended !== undefined && ended._tag !== "Done") return refused ? end({ ...ended, tick: undefined }) : first
  if (ended?._tag === "Done" && ended.adopted !== undefined) return already(terms, command, ended)
  const decided = Propose.decide(DecisionTerms.next(terms), state, wanted)
  const key = decided.names?.begins?.key
  const open =
    key === undefined ? undefined : Object.entries(OpenActions.of(state)).find(([, each]) => each?.key === key)
  if (open?.[1] !== undefined) return Deduplication.begun(open[0], open[1])
  const shared = command.adopted === undefined && key !== undefined ? StoreQuery.seen(command, { _tag: "Shared" }) : []
  if (shared === undefined) return lookAt(command, { _tag: "Shared" })
  const adopted = command.adopted ?? inherited(terms, shared, key)
  const own = adopted?.run === terms.run.id ? adopted : key === undefined ? undefined : standing(terms, state, key)
  if (own !== undefined) {
    return already(terms, command, { _tag: "Done", tick: own.tick, output: null, basis: "recorded", adopted: own })
  }
  if (adopted !== undefined) return adopt(terms, state, { ...command, adopted })
  if (recorded !== undefined) return settle(terms, decided, { origin, proposal, recorded })
  return { ...decided, content: CommitContent.after(decided.content, provenance(terms, proposal, origin)) }
}

/**
 * The act that the history before a fork imported under a key, if its effect stands. The fork believes it, although
 * its state no longer names the key. An act that was undone since does not count.
 */
const inherited = (
  terms: DecisionTerms.DecisionTerms,
  shared: ReadonlyArray<Transition>,
  key: string | undefined
): Adopted | undefined => {
  const undoes = new Map<string, string>()
  const requested = new Set<string>()
  let found: Adopted | undefined
  for (const transition of shared) {
    const { body, stamp, tick } = transition
    const { id = "", undoes: undone } = body.action ?? {}
    if (body.type === "action.request" && stamp.key === key) requested.add(id)
    if (body.type === "action.request" && undone !== undefined) undoes.set(id, undone)
    const { undone: gone = {} } = Payload.of(body, "run.fork") ?? {}
    if (found !== undefined && gone[found.action] !== undefined) found = undefined
    if (body.type !== "action.reconciled") continue
    if (requested.has(id) && body.result?.status === "ok") found = { action: id, run: terms.run.id, tick }
    const isUndone = found !== undefined && undoes.get(id) === found.action && EffectStatus.isVerified(transition)
    if (isUndone) found = undefined
  }
  return found
}

/** Finds the act that an import settled here under the key of another run. The state does not list that key as used. */
const standing = (terms: DecisionTerms.DecisionTerms, state: State, key: string): Adopted | undefined => {
  const found = SettledActions.inOrder(state).find(
    ([, settled]) => settled.key === key && !EffectStatus.isGone(settled)
  )
  return found === undefined ? undefined : { action: found[0], run: terms.run.id, tick: found[1].tick }
}

/** An observation counts once. If this history has it, its id is returned; the observation is not folded again. */
const already = (
  terms: DecisionTerms.DecisionTerms,
  command: {
    readonly proposal: Proposal
    readonly origin: CherryPick.CherryPickOrigin
    readonly silent?: boolean | undefined
  },
  done: Done
): Decision => {
  if (command.silent === true) return end(done)
  const { action = "", run = terms.run.id, tick = done.tick } = done.adopted ?? {}
  return end(
    done,
    CommitContent.records(provenance(terms, command.proposal, { ...command.origin, adopted: { action, run, tick } }))
  )
}

type Origin = Omit<Payload.Of<"run.cherrypick">, "proposal">

const provenance = (terms: DecisionTerms.DecisionTerms, proposal: Proposal, origin: Origin): Draft =>
  DecisionTerms.draft(terms, {
    author: "kernel",
    data: { ...origin, proposal: defined(proposal) },
    type: "run.cherrypick"
  })

/** The act is done. The system of record is asked about it under its key, and nothing is sent. */
const adopt = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: {
    readonly proposal: Proposal
    readonly origin: CherryPick.CherryPickOrigin
    readonly context?: Digest | undefined
    readonly generation?: number | undefined
    readonly adopted: Adopted
  }
): Decision => {
  const { adopted, context, generation, origin, proposal } = command
  const next = DecisionTerms.next(terms)
  const decided = takingOver(next, state, Propose.decide(next, state, { context, generation, proposal }), command)
  const { output: _, ...holder } = adopted
  // If the system of record is asked, the outcome known elsewhere decides nothing.
  const imported = provenance(terms, proposal, { ...origin, adopted: defined(isAsked(decided) ? holder : adopted) })
  return { ...decided, content: CommitContent.after(decided.content, imported) }
}

const isAsked = ({ next }: Decision): boolean => next._tag === "Ask"

/** Settles an act that must not happen again with the outcome of its own run, on the basis `recorded`. */
const settle = (
  terms: DecisionTerms.DecisionTerms,
  decided: Decision,
  about: {
    readonly origin: CherryPick.CherryPickOrigin
    readonly proposal: Proposal
    readonly recorded: Rebase.RecordedOutcome
  }
): Decision => {
  const { origin, proposal, recorded } = about
  const { actual, output, status, trust, unchecked } = recorded
  const imported = provenance(terms, proposal, { ...origin, recorded: defined(recorded) })
  const { requested, started } = decided.content
  const id = requestOf(decided)?.action
  if (requested === undefined || id === undefined) {
    return { ...decided, content: CommitContent.after(decided.content, imported) }
  }
  const action = { id }
  const content: CommitContent.CommitContent = {
    ...CommitContent.records(imported),
    requested: started === undefined ? requested : withStart(requested, started),
    answered: { action, result: { output, status, trust: Trust.of("word") } },
    ...(actual === undefined
      ? {}
      : { verified: { action, result: { output: actual, status: "ok", trust: Trust.of("word") } } }),
    reconciled: {
      action,
      ...(unchecked === undefined ? {} : { data: { unchecked } }),
      result: { basis: "recorded", status, trust }
    }
  }
  const tick = DecisionTerms.standsAt(terms, CommitContent.size(content))
  return end(
    status === "ok"
      ? { _tag: "Done", tick, output: actual ?? output, basis: "recorded" }
      : { _tag: "Failed", tick, error: output },
    content
  )
}
