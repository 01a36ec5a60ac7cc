/**
 * Carries an intent of one run to another, after both states were compared under the pack.
 *
 * @source Dendrer, section 4.4
 */
import type { Command } from "@backstitch/kernel/Command"
import type { Adopted } from "@backstitch/kernel/CommandFacts"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Done, Failed, Held, Outcome, Parked, Refused } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import { defined } from "@backstitch/trace/Defined"
import type { Digest } from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import * as CherryPick from "@backstitch/version-control/CherryPick"
import * as Descent from "@backstitch/version-control/Descent"
import * as Intent from "@backstitch/version-control/Intent"
import { about, type Next } from "@backstitch/wording/Next"
import type { ImportRefused } from "@backstitch/wording/TraceWords"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
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

/** A verdict on an import, with its reasons in words. */
export interface WordedVerdict extends CherryPick.CherryPickVerdict {
  readonly reasons: ReadonlyArray<CherryPick.RefusalReason & ImportRefused>
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
  readonly verdict: WordedVerdict
  readonly outcome: Outcome | undefined
  readonly tick: number | undefined
  readonly adopted: Adopted | undefined
}

/**
 * The conclusion of an import, as one of nine.
 *
 * **Details**
 *
 * | conclusion | what happened |
 * | --- | --- |
 * | `Unfit` | the contract or the context of the target refused it; nothing was committed |
 * | `Refused` | the kernel of the target refused it; nothing was committed |
 * | `Waits` | a person is asked to approve it |
 * | `Held` | it was begun and is not settled; in a dry run, it would wait for a held action |
 * | `Failed` | it was carried out, and did not succeed |
 * | `Admissible` | it was only judged, and would be admitted |
 * | `Known` | the target already has the intent; nothing was committed |
 * | `Adopted` | it was imported; another run had done the act |
 * | `Imported` | it was imported |
 */
export type Conclusion =
  | { readonly _tag: "Unfit"; readonly reasons: WordedVerdict["reasons"] }
  | { readonly _tag: "Refused"; readonly outcome: Refused }
  | { readonly _tag: "Waits"; readonly outcome: Parked }
  | { readonly _tag: "Held"; readonly outcome: Held; readonly tick: number | undefined }
  | {
      readonly _tag: "Failed"
      readonly outcome: Failed
      readonly tick: number | undefined
    }
  | { readonly _tag: "Admissible" }
  | { readonly _tag: "Known"; readonly adopted: Adopted }
  | {
      readonly _tag: "Adopted"
      readonly adopted: Adopted
      readonly outcome: Done
      readonly tick: number
    }
  | {
      readonly _tag: "Imported"
      readonly outcome: Done
      readonly tick: number | undefined
    }

/** Concludes an import from its verdict and its outcome. */
export const conclusion = ({ adopted, outcome, tick, verdict }: Picked): Conclusion => {
  if (!verdict.accepted) return { _tag: "Unfit", reasons: verdict.reasons }
  if (outcome === undefined) return { _tag: "Admissible" }
  switch (outcome._tag) {
    case "Refused":
      return { _tag: "Refused", outcome }
    case "Parked":
      return { _tag: "Waits", outcome }
    case "Held":
      return { _tag: "Held", outcome, tick }
    case "Failed":
      return { _tag: "Failed", outcome, tick }
    case "Done":
      if (adopted === undefined) return { _tag: "Imported", outcome, tick }
      return tick === undefined ? { _tag: "Known", adopted } : { _tag: "Adopted", adopted, outcome, tick }
  }
}

/** Tells whether an import was carried out. */
export const isCarriedOut = (picked: Picked): boolean =>
  ["Adopted", "Imported", "Known"].includes(conclusion(picked)._tag)

/** Tells whether an import was carried out or, if it was only judged, would be admitted. */
export const isAdmitted = (picked: Picked): boolean => isCarriedOut(picked) || conclusion(picked)._tag === "Admissible"

/** The reason for which an import was not carried out; nothing if it was carried out. */
export const why = (picked: Picked, words?: Words): string | undefined => {
  const concluded = conclusion(picked)
  switch (concluded._tag) {
    case "Unfit":
      return concluded.reasons.map(({ text }) => text).join("; ")
    case "Refused":
    case "Waits":
    case "Held":
    case "Failed":
      return Wording.why(concluded.outcome, words)
    default:
      return undefined
  }
}

/** Lists the possible next steps. */
export const next = (picked: Picked): ReadonlyArray<Next> => {
  const concluded = conclusion(picked)
  const { source, target } = picked.verdict
  switch (concluded._tag) {
    case "Unfit":
      return source.tick < 2 ? [] : [{ verb: "fork", from: source.tick - 1, run: source.run }]
    case "Refused":
      return Wording.next(concluded.outcome).map((step) => about(step, { run: target.run }))
    case "Waits":
      return [{ verb: "decide", needs: concluded.outcome.needs, review: concluded.outcome.review, run: target.run }]
    case "Held": {
      const { action, run = target.run } = concluded.outcome
      return Wording.next(concluded.outcome).map((step) => about(step, { action, run }))
    }
    default:
      return []
  }
}

/** An import with its conclusion and the possible next steps, for people and programs. */
export interface PickedShown extends Picked {
  /** `true` if it was only judged. */
  readonly dryRun: boolean
  readonly conclusion: Conclusion["_tag"]
  readonly next: ReadonlyArray<Next>
}

/** Shows an import. */
export const shown = (picked: Picked, { dryRun }: Pick<PickedShown, "dryRun">): PickedShown => ({
  ...picked,
  dryRun,
  conclusion: conclusion(picked)._tag,
  next: next(picked)
})

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
  const pack = yield* library.inForce(before.state, tick)
  const found: CherryPick.PlacedIntent = { run: run.id, tick, link: at.link, intent, state: before.state, pack }
  return found
})

/** A run as the target of an import, at a position. */
export const target = Effect.fnUntraced(function* (run: Run, { head, state }: Pick<History.At, "head" | "state">) {
  const library = yield* PackLibrary.PackLibrary
  const pack = yield* library.inForce(state, head.tick + 1)
  const found: CherryPick.Target = { run: run.id, tick: head.tick, state, pack }
  return found
})

/** The place of an intent, and the run to which it is carried. */
export interface PickRequest {
  readonly from: Run
  readonly tick: number
  readonly onto: Run
}

/** Judges an import, and carries it out where the contract and the kernel accept it. */
export const pick = Effect.fn("CherryPicking.pick")(function* ({ from, onto, tick }: PickRequest) {
  yield* apart(from, tick, onto)
  const picked = yield* source(from, tick)
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(onto)
  const verdict = yield* judged(picked, yield* target(onto, yield* handle.position))
  if (!verdict.accepted) return refused(verdict)
  yield* ToolExecutor.demand(picked.intent.tool === undefined ? [] : [picked.intent.tool])
  return yield* commit(handle, picked, verdict, CherryPick.toData(verdict), { silent: true })
})

/**
 * Judges an import and asks the kernel what it would decide. Nothing is committed and nothing is called.
 *
 * **Gotchas**
 *
 * Keys are not derived here. If another run has done the act, that shows only when the import is committed.
 */
export const rehearse = Effect.fn("CherryPicking.rehearse")(function* ({ from, onto, tick }: PickRequest) {
  yield* apart(from, tick, onto)
  const picked = yield* source(from, tick)
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const at = yield* history.at(onto)
  const there = yield* target(onto, at)
  const verdict = yield* judged(picked, there)
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
  { intent }: CherryPick.PlacedIntent,
  verdict: WordedVerdict,
  origin: CherryPick.CherryPickOrigin,
  more: Pick<Command & { readonly _tag: "Import" }, "recorded" | "silent"> & {
    readonly command?: string | undefined
  } = {}
) {
  const history = yield* History.History
  const { head: before } = yield* handle.position
  const { command, ...recorded } = more
  const outcome = yield* handle.importIntent({
    proposal: { ...proposalOf(intent, verdict.dependsOn), ...defined({ command }) },
    origin,
    ...defined({ context: verdict.targetHash as Digest | undefined }),
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
  return defined({
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
  })
}

/** Judges an import under the pack, in words. */
export const judged = (source: CherryPick.PlacedIntent, target: CherryPick.Target): Effect.Effect<WordedVerdict> =>
  Effect.map(Lexicon.Lexicon, (words) => {
    const verdict = CherryPick.validate(source, target)
    return {
      ...verdict,
      reasons: verdict.reasons.map((reason) => ({ ...reason, ...Wording.importRefused(reason, words) }))
    }
  })

const refused = (verdict: WordedVerdict): Picked => ({
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
