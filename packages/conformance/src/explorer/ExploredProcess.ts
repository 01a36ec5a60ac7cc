/**
 * A process of an exploration: it interprets decisions of the kernel like a runtime, one step at a time.
 *
 * Between two steps anything else may happen: the other process commits, the clock advances, the process dies. A
 * decision that has to be durable is appended at the head at which it was made. If another process was faster, this
 * process reads the new transitions and decides again.
 */

import * as ActionFate from "@backstitch/kernel/ActionFate"
import type { Command } from "@backstitch/kernel/Command"
import type { NextQuestion } from "@backstitch/kernel/Decision"
import type { Concluded, Evidence } from "@backstitch/kernel/Evidence"
import * as HandledCommands from "@backstitch/kernel/HandledCommands"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import { isOutdated } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type * as Claims from "@backstitch/trace/Claims"
import type { Draft } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import type {
  Doing,
  ExploredDecision,
  Facing,
  Meeting,
  Observed,
  Sent,
  Staged,
  TransactionEnding,
  Via,
  Waiting
} from "./ExploredDoing.ts"
import * as ExploredLift from "./ExploredLift.ts"
import * as ExploredLog from "./ExploredLog.ts"
import * as Scenario from "./Scenario.ts"

const vias = {
  Call: "call",
  Ask: "status",
  ReadBack: "readback",
  ReadBefore: "before",
  Open: "open",
  ReadInside: "inside",
  Conclude: "conclude"
} as const

const questions = {
  call: "Call",
  status: "Ask",
  readback: "ReadBack",
  before: "ReadBefore",
  open: "Open",
  inside: "ReadInside",
  conclude: "Conclude",
  original: "ReadOriginal"
} as const

/** A process: the last commit that it knows, its decisions that are not durable, and its present step. */
export interface Process {
  /** The run for which it works. */
  readonly run: number
  readonly at: number
  readonly staged: ReadonlyArray<Staged>
  /**
   * A process first settles what a crash left open. Then it proposes the payment, and then it undoes the payment if
   * the scenario wants that. A process may have a task beside the payment instead.
   */
  readonly task: "aside" | "draft" | "propose" | "recover" | "ship" | "undo"
  /** The proposal that it makes instead of the payment. */
  readonly aside?: "memo" | "post" | undefined
  readonly doing: Doing
  /** The number of questions since it was started. */
  readonly calls: number
  /** Set if the payment was already undone when the process last asked about it before its next sending. */
  readonly knew?: boolean | undefined
  /** Its open transaction, and what that showed inside. */
  readonly holds?: "open" | "astray" | undefined
}

/** The surroundings of a step of a process. */
export interface Scene {
  readonly log: ExploredLog.ExploredLog
  readonly clock: number
  /** The heads of other runs. */
  readonly others: ReadonlyArray<ExploredLog.Node>
}

/** A process that is not running. */
export const down = (run: number, aside?: Process["aside"]): Process => ({
  run,
  at: 0,
  staged: [],
  task: "recover",
  ...(aside === undefined ? {} : { aside }),
  doing: { _tag: "Down" },
  calls: 0
})

/** Starts a process: it reads the log, settles open actions, and proposes the payment. */
export const start = (scene: Scene, { aside, run }: Process, head: ExploredLog.Node): Process => {
  const begun: Process = { ...down(run, aside), at: head.id }
  const [action] = Object.keys(OpenActions.of(head.position.state))
  return action === undefined ? goOn(scene, begun) : decide(scene, begun, { _tag: "Recover", action })
}

/** Continues a process that has waited. */
export const wake = (scene: Scene, self: Process, { command, waits }: Waiting): Process =>
  decide(scene, self, command, { waits })

/** Makes decisions durable, or decides again if another process was faster. Fails if a name is refused. */
export const append = (
  scene: Scene,
  self: Process & { readonly doing: { readonly _tag: "Appending" } },
  head: ExploredLog.Node
): Result.Result<{ readonly process: Process; readonly head: ExploredLog.Node }, Meeting> => {
  const { log, others } = scene
  const { decided } = self.doing
  if (self.at !== head.id) {
    return Result.succeed({ process: again(scene, { ...self, at: head.id }, decided), head })
  }
  return Result.mapBoth(log.append(head, draftsOf(self), others), {
    onFailure: (held) => refused(decided, held),
    onSuccess: (node) => {
      const durable = noting(scene, { ...self, at: node.id, staged: [] })
      const process = decided._tag === "Waiting" ? { ...durable, doing: decided } : face(scene, durable, decided)
      return { process, head: node }
    }
  })
}

/** The kernel learns from a refused name, or ends the command. Staged drafts claim no names. */
const refused = (
  decided: ExploredDecision | Waiting,
  { name: claim, namespace, owner, run, tick }: Claims.HeldClaim
): Meeting => {
  if (decided._tag === "Waiting") throw new Error(`${claim} is refused to what is staged`)
  const refusal = { claim, namespace, holder: { owner, run: run.id, tick } }
  const command = Interpreter.next(decided, { _tag: "Refused", refusal }) as Meeting["command"]
  return { _tag: "Meeting", command, waits: decided.waits }
}

/**
 * Tells the kernel that a name was refused. Between the refusal, the query and the next commit anything may happen,
 * so the facts may be outdated when they are used.
 */
export const meet = (scene: Scene, self: Process, { command, waits }: Meeting): Process => {
  const { run } = command.refusal.holder
  const holder = scene.others.find((other) => other.run.id === run)
  return decide(scene, self, command, { waits, behind: holder && { run, at: holder.id } })
}

/** Decides a command at the place of a process. */
export const decide = (scene: Scene, self: Process, command: Command, observed: Observed = {}): Process => {
  const { clock, log, others } = scene
  const decision = log.decide(log.node(self.at), { clock, command, others, staged: stagedDrafts(self) })
  const { again, drafts, flush, names, next } = decision
  const unread = isUnheard(command) ? true : observed.unread
  const decided: ExploredDecision = { _tag: "Decided", again, drafts, names, next, ...observed, unread }
  if (flush === "later") return face(scene, staging(self, { command, drafts }), decided)
  if (flush === "soon" && log.scenario.settles === "rides") {
    return face(scene, staging(self, { command, drafts, soon: true }), { ...decided, drafts: [] })
  }
  if (drafts.length + self.staged.length === 0) return face(scene, self, decided)
  return { ...self, doing: { _tag: "Appending", decided } }
}

/** The command that brings an answer to the kernel. */
export const answered = (answer: {
  readonly action: string
  readonly via: Via
  readonly evidence: Evidence
  readonly askedAt?: number | undefined
  readonly concluded?: Concluded | undefined
  readonly sent?: Sent | undefined
}): Command => {
  const { action, sent, via, ...told } = answer
  return Interpreter.commandOf({ _tag: questions[via], action, via: sent?.via }, { ...told, own: sent })
}

/**
 * A process that has told its store how to end the transaction, and reads the record from outside. Without
 * `concluded`, it got no report.
 */
export const concluded = (
  { holds: _, ...self }: Process,
  { how: __, ...facing }: Facing,
  concluded?: Concluded
): Process => ({
  ...self,
  doing: { ...facing, via: "readback", ...(concluded === undefined ? {} : { concluded }) }
})

/** Lists the types of the transitions that a process would commit next. */
export const pending = (self: Process): ReadonlyArray<string> => draftsOf(self).map(({ body }) => body.type)

/** Proposes the payment, or first finishes an undoing that is under way. */
const goOn = (scene: Scene, self: Process): Process => {
  if (isUndoing(standingOf(scene, self).state)) return decide(scene, { ...self, task: "undo" }, { _tag: "Compensate" })
  return scene.log.scenario.restores === undefined ? propose(scene, self) : work(scene, self)
}

/** Takes the next step of the subtask that is put back, or of the second process beside it, by the record. */
const work = (scene: Scene, self: Process): Process => {
  const { log } = scene
  const standing = standingOf(scene, self)
  const isOn = (tool: string): boolean =>
    standing.transitions.some(({ body: { action, type } }) => type === "action.request" && action?.tool === tool)
  if (self.aside !== undefined) {
    if (isOn(self.aside)) return told(self, { _tag: "Ended", outcome: "Done" })
    return decide(scene, { ...self, task: "aside" }, { _tag: "Propose", proposal: Scenario.aside[self.aside] })
  }
  if (standing.transitions.some(({ body }) => body.type === "recovery.restored"))
    return told({ ...self, task: "undo" }, { _tag: "Ended", outcome: "Done" })
  if (!isOn("draft"))
    return decide(scene, { ...self, task: "draft" }, { _tag: "Propose", proposal: Scenario.aside.draft })
  if (SettledActions.inOrder(standing.state).every(([, { tool }]) => tool !== "pay")) return propose(scene, self)
  const lift = ExploredLift.of(log, log.node(self.at), standing)!
  const now = ExploredLog.millisOf(scene.clock)
  const recovery = ExploredLift.recovery(log, lift, { now, state: standing.state })
  if (recovery === "Blocked") return told(self, { _tag: "Ended", outcome: "Held" })
  if (recovery !== undefined) return decide(scene, { ...self, task: "undo" }, recovery)
  return decide(scene, { ...self, task: "ship" }, { _tag: "Propose", proposal: Scenario.shipment })
}

/** Ends a process. What it has staged waits for a commit that never comes, as after a crash. */
const told = (self: Process, doing: Doing): Process => ({ ...self, staged: [], doing })

/** Stages the facts about subtasks that follow from what is durable. */
const noting = (scene: Scene, self: Process): Process => {
  const { log } = scene
  if (log.scenario.restores === undefined) return self
  const node = log.node(self.at)
  let noted = self
  for (const command of ExploredLift.facts(log, node)) {
    const { clock, others } = scene
    const { drafts } = log.decide(node, { clock, command, others, staged: stagedDrafts(noted) })
    noted = staging(noted, { command, drafts })
  }
  return noted
}

const isUndoing = (state: State): boolean => UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined

/** The payment, if it stands or is being undone, and no person has decided about it yet. */
const paymentOf = (scene: Scene, self: Process): string | undefined => {
  const { state, transitions } = standingOf(scene, self)
  const isDecided = transitions.some(({ body }) => body.type === "review.decided")
  return isDecided ? undefined : SettledActions.inOrder(state)[0]?.[0]
}

const propose = (scene: Scene, self: Process): Process => {
  const { scenario } = scene.log
  const first = Scenario.proposalOf(scenario, self.run)
  const proposal = scenario.insists && hasFailed(scene, self, first) ? Scenario.insisted : first
  return decide(scene, { ...self, task: "propose" }, { _tag: "Propose", proposal })
}

/** Tells whether a payment has failed by the record. */
const hasFailed = (scene: Scene, self: Process, { command = "" }: Proposal): boolean => {
  const { state, transitions } = standingOf(scene, self)
  const { action } = HandledCommands.find(state, command) ?? {}
  return action !== undefined && ActionFate.of(transitions, action).status === "error"
}

/** Proposes the payment again that waited for a person. */
export const askAgain = (scene: Scene, self: Process, head: ExploredLog.Node): Process =>
  propose(scene, { ...self, at: head.id })

/** The log as the process sees it, with its staged drafts. */
const standingOf = ({ log }: Scene, self: Process): ExploredLog.LogView =>
  log.standing(log.node(self.at), stagedDrafts(self))

const stagedDrafts = ({ staged }: Process): ReadonlyArray<Draft> => staged.flatMap(({ drafts }) => drafts)

const draftsOf = (self: Process): ReadonlyArray<Draft> => {
  const { doing } = self
  const isDecided = doing._tag === "Appending" && doing.decided._tag === "Decided"
  return [...stagedDrafts(self), ...(isDecided ? doing.decided.drafts : [])]
}

const staging = (self: Process, staged: Staged): Process =>
  staged.drafts.length === 0 ? self : { ...self, staged: [...self.staged, staged] }

/** Reads the new transitions. Staged commands are decided again, and other processes may have answered them. */
const again = (scene: Scene, self: Process, decided: ExploredDecision | Waiting): Process => {
  const { clock, log, others } = scene
  let caughtUp: Process = { ...self, staged: [] }
  const names = new Map<string, string>()
  for (const { command: asked, drafts } of self.staged) {
    const command = renamed(asked, names)
    const decision = log.decide(log.node(self.at), { clock, command, others, staged: stagedDrafts(caughtUp) })
    for (const [index, { body }] of drafts.entries()) {
      const id = decision.drafts[index]?.body.action?.id
      if (body.action !== undefined && id !== undefined) names.set(body.action.id, id)
    }
    const isDue = decision.flush === "now" || (decision.flush === "soon" && log.scenario.settles === "alone")
    if (isDue) return face(scene, caughtUp, { _tag: "Decided", ...decision })
    const soon = decision.flush === "soon" ? ({ soon: true } as const) : {}
    caughtUp = staging(caughtUp, { command, drafts: decision.drafts, ...soon })
  }
  if (decided._tag === "Waiting") return waiting(caughtUp, decided)
  const { unread, waits } = decided
  const next = renamed(Interpreter.next(decided, { _tag: "Overtaken" }), names)
  return decide(scene, caughtUp, next, { unread, waits })
}

/** A staged read gets another name if another process was faster, and so do the commands about it. */
const renamed = (command: Command, names: ReadonlyMap<string, string>): Command =>
  "action" in command ? { ...command, action: names.get(command.action) ?? command.action } : command

/** Tells whether a read before the sending got no answer. */
const isUnheard = (command: Command): boolean =>
  command._tag === "ReadBefore" && (command.evidence._tag === "Unknown" || command.evidence._tag === "Error")

/** Tells whether an action was deferred because its record could not be read, and was begun again without a read. */
const isBegunUnread = ({ log }: Scene, self: Process, action: string): boolean => {
  const own = [...log.node(self.at).transitions, ...stagedDrafts(self)].filter(({ body }) => body.action?.id === action)
  const [decided, began] = own.slice(-2)
  return began?.body.type === "action.started" && Payload.of(decided!.body, "recovery.decided")?.defers === true
}

/**
 * Continues after a payment that stands, as the scenario says: the process ships, has the payment undone, or is done.
 */
const followed = (scene: Scene, self: Process): Process | undefined => {
  const { twins, undoes } = scene.log.scenario
  const paid = undoes ? paymentOf(scene, self) : undefined
  if (paid === undefined || twins === "keep") return undefined
  if (twins === "abort") {
    const shipping = { _tag: "Propose", proposal: Scenario.shipment } as const
    return self.run === 0 ? decide(scene, { ...self, task: "ship" }, shipping) : undefined
  }
  const wanted = {
    actions: [paid],
    because: { args: { reason: "it was not wanted" }, code: "cause.asked" },
    cause: "revision"
  } as const
  return decide(scene, { ...self, task: "undo" }, { _tag: "Undo", wanted })
}

/** Takes the next step of a decision. A transaction that the step does not keep open is aborted. */
const face = (scene: Scene, process: Process, decided: ExploredDecision): Process => {
  const { next } = decided
  const { holds, ...rest } = process
  const self = holds === undefined || Interpreter.keepsOpen(next) ? process : rest
  if (next._tag === "End") return ended(scene, self, { ...decided, next })
  if (!Interpreter.isQuestion(next)) return due(scene, self, decided)
  if (next._tag === "ReadOriginal") {
    const { action, via } = next.original
    const own = RecordedRequest.of(standingOf(scene, self).transitions, action)!
    const { key = "", tool } = own
    const by = Number.POSITIVE_INFINITY
    return { ...self, doing: { _tag: "Facing", via: "original", action, key, tool, by, sent: { ...own, via } } }
  }
  const { action, key = "", sendBefore, tool } = next.request
  const ending: TransactionEnding = next._tag === "Conclude" ? { how: next.how } : {}
  const isBlind = next._tag === "Call" && (decided.unread === true || isBegunUnread(scene, self, action))
  const about = { ...ending, ...(isBlind ? ({ unread: true } as const) : {}) }
  return { ...self, doing: { _tag: "Facing", via: vias[next._tag], action, key, tool, by: sendBefore, ...about } }
}

/** Continues on top of a settlement that the process knows, and reports it to the caller once it is durable. */
const ended = (
  scene: Scene,
  self: Process,
  decided: ExploredDecision & { readonly next: NextQuestion & { readonly _tag: "End" } }
): Process => {
  const { behind, next } = decided
  if (self.task === "recover") return goOn(scene, self)
  const plan = { _tag: "Compensate" } as const
  if (self.task === "undo" && Interpreter.isOvertaken(plan, next) && isUndoing(standingOf(scene, self).state)) {
    return decide(scene, self, plan)
  }
  if (scene.log.scenario.restores !== undefined && isFollowed(self, next)) return goOn(scene, self)
  // A read beside the payment is reported once it is durable.
  if (self.task === "aside" && self.staged.length > 0) return { ...self, doing: { _tag: "Appending", decided } }
  const follows = self.task === "propose" ? followed(scene, self) : undefined
  if (follows !== undefined) return follows
  if (self.staged.some(({ soon }) => soon)) return { ...self, doing: { _tag: "Appending", decided } }
  const outcome = outcomeOf(scene, self, next)
  const more = outcome === "Held" ? { behind } : outcome === "Parked" ? { parkedAt: next.outcome.tick ?? 0 } : {}
  return { ...self, staged: [], doing: { _tag: "Ended", outcome, ...more } }
}

/**
 * Tells whether the work of a subtask goes on: after each step that is done, after the step that fails, and where
 * another process was faster than a restore.
 */
const isFollowed = ({ task }: Process, { outcome }: NextQuestion & { readonly _tag: "End" }): boolean => {
  switch (task) {
    case "draft":
    case "propose":
      return outcome._tag === "Done"
    case "ship":
      return outcome._tag === "Failed"
    default:
      return isOutdated(outcome)
  }
}

/** Decides a command whose time has come; any other waits. */
const due = (scene: Scene, self: Process, decided: ExploredDecision): Process => {
  const { next } = decided
  const { untilMillis = 0 } = "untilMillis" in next ? next : {}
  const waits =
    next._tag === "Await" ? (decided.waits ?? scene.clock) : next._tag === "Again" ? decided.waits : undefined
  const command = Interpreter.next(decided, { _tag: "Due" })
  return untilMillis <= ExploredLog.millisOf(scene.clock)
    ? decide(scene, self, command, { waits })
    : waiting(self, { _tag: "Waiting", until: untilMillis, command, waits })
}

const waiting = (self: Process, wait: Waiting): Process => ({
  ...self,
  doing: self.staged.length === 0 ? wait : { _tag: "Appending", decided: wait }
})

/** Answers the outcome for the caller. For an action that was done before, it is the outcome in the record. */
const outcomeOf = (scene: Scene, self: Process, { outcome }: NextQuestion & { readonly _tag: "End" }) => {
  if (outcome._tag !== "Done" || outcome.adopted?.action === undefined) return outcome._tag
  const { action, run } = outcome.adopted
  if (run !== scene.log.run.id) return "Done"
  const found = ActionFate.of(standingOf(scene, self).transitions, action)
  const lost = ActionFate.lost(found)
  if (lost !== undefined) return lost.how === "undoing" ? "Held" : "Failed"
  return found.status === "ok" ? "Done" : "Failed"
}
