/**
 * Carries an intent of one run to another, after both states were compared under the contract.
 *
 * @source Dendrer, section 4.4
 */
import type { Command } from "@backstitch/kernel/Command"
import type { Adopted } from "@backstitch/kernel/CommandFacts"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { Digest } from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import * as CherryPick from "@backstitch/version-control/CherryPick"
import * as Descent from "@backstitch/version-control/Descent"
import * as Intent from "@backstitch/version-control/Intent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Coordinator from "../run/Coordinator.ts"
import type * as RunHandle from "../run/RunHandle.ts"

/** Error for an intent that the target's history already contains. */
export class AlreadyThere extends Schema.TaggedError<AlreadyThere>("@backstitch/runtime/AlreadyThere")("AlreadyThere", {
  source: Schema.String,
  tick: Schema.Natural,
  target: Schema.String
}) {
  override get message(): string {
    return (
      `Tick ${this.tick} of ${this.source} is part of the history of ${this.target} already, so there is nothing to ` +
      "carry over. Name a tick after the one at which the two parted"
    )
  }
}

/**
 * The result of an import.
 *
 * **Details**
 *
 * `outcome` is absent if the contract refused the import, and in a dry run without a refusal. `tick` is that of
 * `run.cherrypick`. `adopted` is the action that had done the act: of another run or, if the target's own history has
 * it and nothing was committed, of the target.
 */
export interface Picked {
  readonly verdict: CherryPick.Verdict
  readonly outcome: Outcome | undefined
  readonly tick: number | undefined
  readonly adopted: Adopted | undefined
}

/** Tells whether an import was carried out. */
export const isCarriedOut = ({ outcome, verdict }: Picked): boolean => verdict.accepted && outcome?._tag === "Done"

/** Tells whether an import was carried out or, if it was only judged, would be admitted. */
export const isAdmitted = (picked: Picked): boolean =>
  picked.outcome === undefined ? picked.verdict.accepted : isCarriedOut(picked)

/** The intent at a tick, with the state in which it was decided. */
export const source = Effect.fnUntraced(function* (run: Run, tick: number) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  if (tick < 1) return yield* new History.TickOutOfRange({ run: run.id, tick, last: head.tick })
  // Verified on the way: the link is that of the chain at this tick.
  const { head: at } = yield* history.at(run, tick)
  const before = yield* history.at(run, tick - 1)
  const [transition] = yield* history.transitions(run, { from: tick, to: tick })
  const intent = yield* Effect.fromResult(Intent.of(run.id, transition!))
  const pack = yield* library.folding(() => library.packAt(before.state, tick))
  const found: CherryPick.Source = { run: run.id, tick, link: at.link, intent, state: before.state, pack }
  return found
})

/** A run as the target of an import, at a position. */
export const target = Effect.fnUntraced(function* (run: Run, { head, state }: Pick<History.At, "head" | "state">) {
  const library = yield* PackLibrary.PackLibrary
  const pack = yield* library.folding(() => library.packAt(state, head.tick + 1))
  const found: CherryPick.Target = { run: run.id, tick: head.tick, state, pack }
  return found
})

/** Judges an import, and carries it out where the contract and the kernel accept it. */
export const pick = Effect.fn("CherryPicking.pick")(function* (request: {
  readonly from: Run
  readonly tick: number
  readonly onto: Run
}) {
  const { from, onto, tick } = request
  yield* apart(from, tick, onto)
  const picked = yield* source(from, tick)
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(onto)
  const verdict = CherryPick.validate(picked, yield* target(onto, yield* handle.position))
  if (!verdict.accepted) return refused(verdict)
  return yield* commit(handle, picked, verdict, CherryPick.toData(verdict), { silent: true })
})

/**
 * Judges an import and asks the kernel what it would decide. Nothing is committed and nothing is called.
 *
 * **Gotchas**
 *
 * Keys are not derived here. If another run has done the act, that shows only when the import is committed.
 */
export const rehearse = Effect.fn("CherryPicking.rehearse")(function* (request: {
  readonly from: Run
  readonly tick: number
  readonly onto: Run
}) {
  const { from, onto, tick } = request
  yield* apart(from, tick, onto)
  const picked = yield* source(from, tick)
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const at = yield* history.at(onto, (yield* history.info(onto)).head.tick)
  const there = yield* target(onto, at)
  const verdict = CherryPick.validate(picked, there)
  if (!verdict.accepted) return refused(verdict)
  const { pack } = there
  const lineage = (yield* history.root(onto)).id
  const terms = { run: onto, lineage, now: at.asOf, tick: at.head.tick + 1, secret: "", pack }
  const proposal = proposalOf(picked.intent, verdict.dependsOn)
  const { next } = yield* library.folding(() =>
    Interpreter.rehearse(Kernel.standard, terms, at.state, {
      _tag: "Import",
      proposal,
      origin: CherryPick.toData(verdict)
    })
  )
  const outcome = next._tag === "End" && next.outcome._tag !== "Done" ? next.outcome : undefined
  const answer: Picked = { verdict, outcome, tick: undefined, adopted: undefined }
  return answer
})

/** Commits an import that was judged, and answers its outcome. */
export const commit = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  { intent }: CherryPick.Source,
  verdict: CherryPick.Verdict,
  origin: CherryPick.Origin,
  more: Pick<Command & { readonly _tag: "Import" }, "recorded" | "silent"> & {
    readonly command?: string | undefined
  } = {}
) {
  const history = yield* History.History
  const { head: before } = yield* handle.position
  const { command, ...recorded } = more
  const outcome = yield* handle.importIntent({
    proposal: { ...proposalOf(intent, verdict.dependsOn), ...(command === undefined ? {} : { command }) },
    origin,
    ...(verdict.targetHash === undefined ? {} : { context: verdict.targetHash as Digest }),
    ...recorded
  })
  const added = yield* history.transitions(handle.run, { from: before.tick + 1 })
  const imported = added.find(({ body }) => Payload.of(body, "run.cherrypick")?.source.link === verdict.source.link)
  const known = outcome._tag === "Done" ? outcome.adopted : undefined
  const own = known === undefined ? undefined : { action: known.action ?? "", run: known.run, tick: known.tick }
  const adopted = imported === undefined ? own : Payload.of(imported.body, "run.cherrypick")?.adopted
  const answer: Picked = { verdict, outcome, tick: imported?.tick, adopted }
  return answer
})

/** Makes the target's proposal from the intent, with its own command and its own basis of trust. */
const proposalOf = (intent: Intent.Intent, dependsOn: ReadonlyArray<string>): Proposal => {
  const { agent, confidence, data, description, occurrence, occurrenceBy, params, tool, type, uncertainty } = intent
  const { cites: _, ...uncited } = Payload.of({ data, type }, "observation.add") ?? {}
  const proposed: Proposal = {
    agent,
    confidence,
    // The action that an observation cites is in the other run, so here it is only the agent's word.
    data: type === "observation.add" && data !== undefined ? uncited : data,
    dependsOn: dependsOn.length === 0 ? undefined : dependsOn,
    description,
    occurrence,
    // An import is a person's act. The original author of its occurrence number is kept, if known.
    occurrenceBy: occurrence === undefined ? undefined : (occurrenceBy ?? "user"),
    params,
    tool,
    type,
    uncertainty
  }
  return Object.fromEntries(Object.entries(proposed).filter(([, value]) => value !== undefined))
}

const refused = (verdict: CherryPick.Verdict): Picked => ({
  verdict,
  outcome: undefined,
  tick: undefined,
  adopted: undefined
})

const apart = Effect.fnUntraced(function* (from: Run, tick: number, onto: Run) {
  const history = yield* History.History
  yield* history.info(onto)
  const shared = Descent.shared(yield* history.lineage(from), yield* history.lineage(onto))
  return tick <= shared ? yield* new AlreadyThere({ source: from.id, tick, target: onto.id }) : undefined
})
