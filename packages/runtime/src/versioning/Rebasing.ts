/**
 * Replays the intents of one branch onto another, in a fork of the other, and stops at an intent that does not fit.
 *
 * Both branches stay unchanged. The trace of the result says what is to be replayed and how far the replay has come.
 * A rebase that stopped, or whose process was killed, is continued from there.
 *
 * @source Dendrer, sections 9.6 and 11.1
 */
import * as Check from "@backstitch/kernel/Check"
import * as Finding from "@backstitch/kernel/Finding"
import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import type { Held, Outcome } from "@backstitch/kernel/Outcome"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as CherryPick from "@backstitch/version-control/CherryPick"
import * as Descent from "@backstitch/version-control/Descent"
import * as HistoryCodes from "@backstitch/version-control/HistoryCodes"
import * as Rebase from "@backstitch/version-control/Rebase"
import type { Step } from "@backstitch/version-control/Step"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Steps from "../history/Steps.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as Coordinator from "../run/Coordinator.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as CherryPicking from "./CherryPicking.ts"
import * as Forking from "./Forking.ts"

/** Error for a run that is no rebase, or whose rebase was given up. */
export class NoRebase extends Schema.TaggedError<NoRebase>("@backstitch/runtime/NoRebase")("NoRebase", {
  run: Schema.String,
  why: Schema.Literals(["none", "aborted", "done", "no conflict"])
}) {
  override get message(): string {
    const why = {
      none: "is no rebase. Begin one onto another run",
      aborted: "is a rebase that was given up. Begin another under a name of its own",
      done: "is a rebase with nothing left to replay",
      "no conflict": "is a rebase that did not stop at an intent, so there is none to skip. Continue it"
    }[this.why]
    return `Run ${this.run} ${why}`
  }

  /** Lists the possible steps instead. */
  get next(): ReadonlyArray<Next.Next> {
    return this.why === "none" ? [{ run: this.run, verb: "rebase" }] : []
  }
}

/** One intent of the branch, and its result. `at` is the tick of the replay that records it. */
export interface Replayed {
  readonly tick: number
  readonly type: string
  readonly tool: string | undefined
  readonly treatment: Rebase.IntentTreatment
  readonly status: "replayed" | "adopted" | "recorded" | "skipped" | "conflict" | "pending" | "fits"
  readonly at: number | undefined
  /** `true` if a repeated call had the same outcome as before; absent if nothing was called in this process. */
  readonly same: boolean | undefined
  readonly warnings: CherryPick.CherryPickVerdict["warnings"]
}

/** The intent at which a rebase stopped, and the reason. `fields` are those that differ or are missing. */
export interface Conflict {
  readonly tick: number
  readonly type: string
  readonly tool: string | undefined
  readonly why: Finding.Any
  /** The same reason in words. */
  readonly reason: string
  readonly fields: ReadonlyArray<string>
  readonly remedies: ReadonlyArray<string>
}

/** The result of a rebase. `run` is the resulting run; for a branch that is up to date, the branch itself. */
export interface Rebased {
  readonly run: string
  readonly status: "up to date" | "done" | "stopped" | "aborted" | "rehearsed"
  readonly source: { readonly run: string; readonly from: number; readonly to: number }
  readonly onto: { readonly run: string; readonly tick: number }
  readonly replayed: ReadonlyArray<Replayed>
  readonly left: ReadonlyArray<Rebase.Left>
  readonly conflict: Conflict | undefined
}

/** A rebase to be made. */
export interface RebaseRequest {
  readonly run: Run.Run
  readonly onto: Run.Run
  readonly as?: Run.Run | undefined
}

/** The default name of the result. */
export const nameOf = (run: Run.Run, onto: Run.Run): Run.Run => Run.make(`${run.id}-onto-${onto.id}`, run.tenant)

/** Begins a rebase, and replays as far as possible. Nothing begins unless the code of every tool to call is here. */
export const begin = Effect.fn("Rebasing.begin")(function* (request: RebaseRequest) {
  const { onto, run } = request
  const { about, begun, plan } = yield* prepared(request)
  if (begun === undefined) return upToDate(about)
  const called = plan.items.flatMap(({ intent, treatment }) => (treatment === "execute" ? (intent.tool ?? []) : []))
  yield* ToolExecutor.demand(called)
  const { run: result } = yield* Forking.fork({
    parent: onto,
    at: about.onto.tick,
    child: request.as ?? nameOf(run, onto),
    rebase: begun
  })
  return yield* replay(result, about, plan)
})

/** Predicts the result for each intent, if every call came out as in its own run. Nothing is committed or called. */
export const rehearse = Effect.fn("Rebasing.rehearse")(function* (request: RebaseRequest) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { about, begun, plan } = yield* prepared(request)
  if (begun === undefined) return upToDate(about)
  let { head, state } = yield* history.at(request.onto, about.onto.tick)
  const replayed: Array<Replayed> = []
  let conflict: Conflict | undefined
  for (const item of plan.items) {
    if (conflict !== undefined) {
      replayed.push(rowOf(item, "pending"))
      continue
    }
    const target = yield* CherryPicking.target(request.onto, { head, state })
    const verdict = yield* CherryPicking.judged(sourceOf(begun.run, item), target)
    conflict = verdict.accepted ? undefined : conflictOf(item, verdict)
    replayed.push({ ...rowOf(item, verdict.accepted ? "fits" : "conflict"), warnings: verdict.warnings })
    const at = state
    const tick = head.tick + 1
    state = yield* library.folding(() => Rebase.predict(history.fold, at, tick, item))
    head = { ...head, tick: head.tick + item.transitions.length }
  }
  const rebased: Rebased = {
    ...about,
    run: (request.as ?? nameOf(request.run, request.onto)).id,
    status: "rehearsed",
    replayed,
    left: plan.left,
    conflict
  }
  return rebased
})

/**
 * Continues a rebase from the progress in its result's trace.
 *
 * **Details**
 *
 * With `skip`, the intent at which it stopped is left out.
 */
export const resume = Effect.fn("Rebasing.resume")(function* (result: Run.Run, options: { readonly skip: boolean }) {
  const { about, plan, standing } = yield* reopened(result)
  const isDone = plan.items.every(({ tick }) => standing.replayed.has(tick) || standing.skipped.has(tick))
  if (isDone) return yield* new NoRebase({ run: result.id, why: "done" })
  if (options.skip) {
    if (standing.conflict === undefined) return yield* new NoRebase({ run: result.id, why: "no conflict" })
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(result)
    const { tick, why } = standing.conflict
    yield* note(handle, Rebase.halt("skipped", standing.begun, { tick, why }))
  }
  return yield* replay(result, about, plan)
})

/**
 * Gives a rebase up. The replayed intents stay in the result, which nobody has to use; both branches stay unchanged.
 */
export const abort = Effect.fn("Rebasing.abort")(function* (result: Run.Run) {
  const { about, plan, standing } = yield* reopened(result)
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(result)
  yield* note(handle, Rebase.halt("aborted", standing.begun, { tick: standing.conflict?.tick }))
  const rebased: Rebased = {
    ...about,
    run: result.id,
    status: "aborted",
    replayed: plan.items.map((item) => knownRow(item, standing)),
    left: plan.left,
    conflict: undefined
  }
  return rebased
})

type About = Pick<Rebased, "source" | "onto">

/**
 * Plans the replay of a branch since it left the other. A branch that already begins at the other's head needs no
 * replay.
 */
const prepared = Effect.fnUntraced(function* ({ onto, run }: RebaseRequest) {
  const history = yield* History.History
  const [branch, other] = [(yield* history.info(run)).head, (yield* history.info(onto)).head]
  const base = Descent.shared(yield* history.lineage(run), yield* history.lineage(onto))
  const from = Math.min(base, branch.tick) + 1
  const about: About = {
    source: { run: run.id, from, to: branch.tick },
    onto: { run: onto.id, tick: other.tick }
  }
  const isOnTop = base >= other.tick || base >= branch.tick
  const begun: Rebase.RebaseOrigin | undefined = isOnTop
    ? undefined
    : { run: run.id, from, to: branch.tick, link: branch.link }
  return { about, begun, plan: isOnTop ? { items: [], left: [] } : yield* planned(run, from, branch.tick) }
})

const planned = Effect.fnUntraced(function* (run: Run.Run, from: number, to: number) {
  const library = yield* PackLibrary.PackLibrary
  const steps: Array<Step & { readonly link: string }> = []
  yield* Steps.walk(run, { from, to }, (step, { link }) => void steps.push({ ...step, link }))
  return yield* Effect.flatMap(
    library.folding(() => Rebase.plan(run.id, steps, (state, tick) => library.packAt(state, tick))),
    Effect.fromResult
  )
})

/** A rebase that was begun, by its result. */
const reopened = Effect.fnUntraced(function* (result: Run.Run) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const { parent } = yield* history.info(result)
  const standing = parent === undefined ? undefined : yield* standingOf(result, parent.tick)
  if (parent === undefined || standing === undefined) return yield* new NoRebase({ run: result.id, why: "none" })
  if (standing.aborted) return yield* new NoRebase({ run: result.id, why: "aborted" })
  const { from, run, to } = standing.begun
  const source = Run.make(run, result.tenant)
  const plan = yield* planned(source, from, to)
  const onto = yield* store.info(Run.make(parent.id, result.tenant))
  const about: About = { source: { run, from, to }, onto: { run: onto?.run.id ?? parent.id, tick: parent.tick } }
  return { about, plan, standing }
})

const standingOf = Effect.fnUntraced(function* (result: Run.Run, left: number) {
  const history = yield* History.History
  return Rebase.progress(yield* history.transitions(result, { from: left + 1 }))
})

/** Continues until every intent is replayed or one does not fit. */
const replay = Effect.fnUntraced(function* (result: Run.Run, about: About, plan: Rebase.RebasePlan) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(result)
  const standing = yield* standingOf(result, about.onto.tick)
  if (standing === undefined) return yield* new NoRebase({ run: result.id, why: "none" })
  // Actions that a crash left open are settled first, as on every resume.
  for (const outcome of yield* handle.resume) {
    if (outcome._tag !== "Held") continue
    const conflict = waiting(outcome, yield* Lexicon.Lexicon)
    return stopped(result, about, plan, { rows: plan.items.map((item) => knownRow(item, standing)), conflict })
  }
  const rows: Array<Replayed> = []
  for (const [index, item] of plan.items.entries()) {
    if (standing.replayed.has(item.tick) || standing.skipped.has(item.tick)) {
      rows.push(knownRow(item, standing))
      continue
    }
    const { conflict, row } = yield* one(handle, item, standing.begun)
    rows.push(row)
    if (conflict === undefined) continue
    const { fields, tick, why } = conflict
    yield* note(handle, Rebase.halt("stopped", standing.begun, { tick, why, fields }))
    rows.push(...plan.items.slice(index + 1).map((each) => rowOf(each, "pending")))
    return stopped(result, about, plan, { rows, conflict })
  }
  const rebased: Rebased = {
    ...about,
    run: result.id,
    status: "done",
    replayed: rows,
    left: plan.left,
    conflict: undefined
  }
  return rebased
})

/** Replays one intent. */
const one = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, item: Rebase.Item, begun: Rebase.RebaseOrigin) {
  const position = yield* handle.position
  const source = sourceOf(begun.run, item)
  const verdict = yield* CherryPicking.judged(source, yield* CherryPicking.target(handle.run, position))
  if (!verdict.accepted) return { row: rowOf(item, "conflict"), conflict: conflictOf(item, verdict) }
  const { command } = item.intent
  const isFree = command !== undefined && HandledCommands.find(position.state, command) === undefined
  const picked = yield* CherryPicking.commit(
    handle,
    source,
    verdict,
    { ...CherryPick.toData(verdict), rebase: "replayed" },
    {
      ...(item.treatment === "record" ? { recorded: item.recorded } : {}),
      ...(isFree ? { command } : {})
    }
  )
  const { adopted, outcome, tick: at } = picked
  const same = item.treatment === "execute" && outcome !== undefined ? isSame(item, outcome) : undefined
  const status = adopted !== undefined ? "adopted" : item.treatment === "record" ? "recorded" : "replayed"
  const row: Replayed = { ...rowOf(item, status), at, same, warnings: verdict.warnings }
  const conflict = outcome === undefined ? undefined : obstacle(item, outcome, yield* Lexicon.Lexicon)
  return conflict === undefined ? { row, conflict } : { row: { ...row, status: "conflict" as const }, conflict }
})

/** Finds the obstacle to an intent that contract and context permit. */
const obstacle = (item: Rebase.Item, outcome: Outcome, words: Words): Conflict | undefined => {
  const about = { tick: item.tick, type: item.intent.type, tool: item.intent.tool, fields: [] }
  switch (outcome._tag) {
    case "Done":
      return undefined
    case "Failed":
      if (item.failed) return undefined
      return worded(about, { why: HistoryCodes.make("rebase.failed", { error: outcome.error }) }, words)
    case "Refused": {
      const why = Check.reason(outcome.checks) ?? Finding.make("action.never_started", {})
      const remedies = Wording.next(outcome, words).map((step) => Wording.step(step, words))
      return { ...about, why, reason: Wording.why(outcome, words), remedies }
    }
    case "Parked":
      return worded(about, { why: outcome.why, next: [{ verb: "decide", review: outcome.review }] }, words)
    case "Held":
      return worded(about, { why: outcome.why, next: Wording.next(outcome, words) }, words)
  }
}

/** A conflict, in codes and in words. Without steps of its own, it has those of its reason. */
const worded = (
  about: Pick<Conflict, "fields" | "tick" | "tool" | "type">,
  { next = [], why }: { readonly next?: ReadonlyArray<Next.Next>; readonly why: Finding.Any },
  words: Words
): Conflict => {
  const said = Wording.of(why, words)
  const steps = next.length === 0 ? said.next : next
  return { ...about, why, reason: said.what, remedies: steps.map((step) => Wording.step(step, words)) }
}

const waiting = (outcome: Held, words: Words): Conflict => {
  const { action } = outcome
  const next = Wording.next(outcome, words).map((step) => Next.about(step, { action }))
  return worded({ tick: 0, type: "action.request", tool: undefined, fields: [] }, { next, why: outcome.why }, words)
}

const conflictOf = (item: Rebase.Item, { reasons }: CherryPicking.WordedVerdict): Conflict => ({
  tick: item.tick,
  type: item.intent.type,
  tool: item.intent.tool,
  why: HistoryCodes.make("rebase.refused", { reasons: reasons.map(({ code }) => code) }),
  reason: reasons.map(({ text }) => text).join("; "),
  fields: reasons.flatMap(({ path }) => path ?? []),
  remedies: reasons.map(({ remedy }) => remedy)
})

const isSame = ({ recorded, transitions }: Rebase.Item, outcome: Outcome): boolean | undefined => {
  const answered: Json | undefined =
    recorded?.actual ??
    recorded?.output ??
    transitions.findLast(({ body }) => body.type === "action.result" && body.result !== undefined)?.body.result?.output
  const now = outcome._tag === "Done" ? outcome.output : outcome._tag === "Failed" ? outcome.error : undefined
  return answered === undefined || now === undefined ? undefined : Canonical.equals(answered, now)
}

const sourceOf = (run: string, item: Rebase.Item): CherryPick.PlacedIntent => ({
  run,
  tick: item.tick,
  link: item.link,
  intent: item.intent,
  state: item.before,
  pack: item.pack
})

const rowOf = ({ intent, tick, treatment }: Rebase.Item, status: Replayed["status"]): Replayed => ({
  tick,
  type: intent.type,
  tool: intent.tool,
  treatment,
  status,
  at: undefined,
  same: undefined,
  warnings: []
})

const knownRow = (item: Rebase.Item, { replayed, skipped }: Rebase.RebaseProgress): Replayed => {
  const at = replayed.get(item.tick)
  return { ...rowOf(item, skipped.has(item.tick) ? "skipped" : at === undefined ? "pending" : "replayed"), at }
}

const upToDate = (about: About): Rebased => ({
  ...about,
  run: about.source.run,
  status: "up to date",
  replayed: [],
  left: [],
  conflict: undefined
})

const stopped = (
  result: Run.Run,
  about: About,
  plan: Rebase.RebasePlan,
  at: { readonly rows: ReadonlyArray<Replayed>; readonly conflict: Conflict }
): Rebased => ({
  ...about,
  run: result.id,
  status: "stopped",
  replayed: at.rows,
  left: plan.left,
  conflict: at.conflict
})

/** Records the progress of a rebase in its result's trace. */
const note = (handle: RunHandle.RunHandle, data: ReturnType<typeof Rebase.halt>) => handle.annotate("run.rebase", data)
