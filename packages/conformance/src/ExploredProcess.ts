/**
 * A process of an exploration: it interprets what the kernel decides, as a runtime does, one step at a time.
 *
 * Between two steps anything else may happen: the other process commits, the
 * clock goes on, the process dies. A decision that is to be durable is
 * appended at the head that it was decided on; where another was faster the
 * process catches up and decides again.
 *
 * @since 0.1.0
 */

import type * as Claimed from "@backstitch/kernel/Claimed"
import type { Command, Evidence } from "@backstitch/kernel/Command"
import type { Next } from "@backstitch/kernel/Decision"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Learnt from "@backstitch/kernel/Learnt"
import type * as LocalTransaction from "@backstitch/kernel/LocalTransaction"
import * as Payload from "@backstitch/kernel/Payload"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as OwnRequest from "@backstitch/ledger/OwnRequest"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Draft } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import type { Asking, Decided, Doing, Ending, Facing, Sent, Via, Waiting } from "./ExploredDoing.ts"
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

/**
 * A process: the commit up to which it knows the log, what it decided and has not made durable, and what it is doing.
 *
 * @category models
 * @since 0.1.0
 */
export interface Process {
  /** The run that it works for. */
  readonly run: number
  readonly at: number
  readonly staged: ReadonlyArray<Decided>
  /** First what a crash left open is settled, then the payment is proposed, then it is undone where that is wanted. */
  readonly task: "recover" | "propose" | "ship" | "undo"
  readonly doing: Doing
  /** Questions asked since it was started. */
  readonly calls: number
  /** Whether the payment was undone already when it asked about it last, before what it sends next. */
  readonly knew?: boolean | undefined
  /** The transaction that it holds open, and what that showed inside. */
  readonly holds?: "open" | "astray" | undefined
}

/**
 * What a step sees beside its process.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scene {
  readonly log: ExploredLog.ExploredLog
  readonly clock: number
  /** Where the logs of other runs stand. */
  readonly others?: ReadonlyArray<ExploredLog.Node>
}

/**
 * A process of a run that is not running.
 *
 * @category constructors
 * @since 0.1.0
 */
export const down = (run: number): Process => ({
  run,
  at: 0,
  staged: [],
  task: "recover",
  doing: { _tag: "Down" },
  calls: 0
})

/**
 * Starts a process: it reads the log, settles what is open, and proposes the payment.
 *
 * @category constructors
 * @since 0.1.0
 */
export const start = (scene: Scene, run: number, head: ExploredLog.Node): Process => {
  const begun: Process = { ...down(run), at: head.id }
  const [action] = Object.keys(OpenActions.of(head.position.state))
  return action === undefined ? goOn(scene, begun) : decide(scene, begun, { _tag: "Recover", action })
}

/**
 * Goes on with a process that has waited.
 *
 * @category combinators
 * @since 0.1.0
 */
export const wake = (scene: Scene, self: Process, { action, again }: Waiting): Process => {
  if (again !== undefined) return decide(scene, self, again.command, again)
  return decide(scene, self, action === undefined ? { _tag: "Compensate" } : { _tag: "Recover", action })
}

/**
 * Makes what was decided durable, or decides again where another process was faster. It fails where a name is refused.
 *
 * @category combinators
 * @since 0.1.0
 */
export const append = (
  scene: Scene,
  self: Process & { readonly doing: { readonly _tag: "Appending" } },
  head: ExploredLog.Node
): Result.Result<{ readonly process: Process; readonly head: ExploredLog.Node }, Claimed.Named> => {
  const { log } = scene
  const { decided } = self.doing
  if (self.at !== head.id) {
    return Result.succeed({ process: again(scene, { ...self, at: head.id }, decided), head })
  }
  const staged = stagedDrafts(log, self)
  const waits = decided._tag === "Waiting"
  const decision = waits ? undefined : log.decide(log.node(self.at), { ...askedOf(decided), staged })
  const drafts = decision === undefined ? staged : [...staged, ...decision.drafts]
  return Result.mapBoth(log.append(head, drafts, scene.others), {
    onFailure: ({ name: claim, namespace, owner, run, tick }) => ({
      claim,
      namespace,
      holder: { owner, run: run.id, tick }
    }),
    onSuccess: (node) => {
      const durable = { ...self, at: node.id, staged: [] }
      const process = waits ? { ...durable, doing: decided } : face(scene, durable, decision!.next, decided)
      return { process, head: node }
    }
  })
}

/**
 * A process whose name is held by another run: its caller is told so.
 *
 * @category combinators
 * @since 0.1.0
 */
export const refused = (self: Process): Process => ({
  ...self,
  staged: [],
  doing: { _tag: "Ended", outcome: "Refused" }
})

/**
 * The question that a decision answers.
 *
 * @category conversions
 * @since 0.1.0
 */
export const askedOf = ({ clock, command, learnt = Learnt.nothing, refusal }: Decided): ExploredLog.Asked => ({
  clock,
  command: learnt === Learnt.nothing ? command : { ...command, learnt },
  refusal,
  turns: learnt.turns
})

/**
 * Decides a command where the process stands.
 *
 * @category combinators
 * @since 0.1.0
 */
export const decide = (
  scene: Scene,
  self: Process,
  command: Command,
  { behind, learnt, refusal, waits }: Omit<Decided, "_tag" | "clock" | "command"> = {}
): Process => {
  const { clock, log } = scene
  const decided: Decided = { _tag: "Decided", command, clock, behind, learnt, refusal, waits }
  const decision = log.decide(log.node(self.at), { ...askedOf(decided), staged: stagedDrafts(log, self) })
  if (decision.flush === "later") {
    const staged = decision.drafts.length === 0 ? self.staged : [...self.staged, decided]
    return face(scene, { ...self, staged }, decision.next, decided)
  }
  if (decision.drafts.length + self.staged.length === 0) return face(scene, self, decision.next, decided)
  return { ...self, doing: { _tag: "Appending", decided } }
}

/**
 * The command that brings an answer to the kernel.
 *
 * @category constructors
 * @since 0.1.0
 */
export const answered = (answer: {
  readonly action: string
  readonly via: Via
  readonly evidence: Evidence
  readonly askedAt?: number | undefined
  readonly concluded?: LocalTransaction.Concluded | undefined
  readonly sent?: Sent | undefined
}): Command => {
  const { action, sent, via, ...told } = answer
  return Interpreter.told({ _tag: questions[via], action, via: sent?.via }, { ...told, own: sent })
}

/**
 * A process that has told its store how to end what it held open, and reads from outside what came of it. Without
 * `concluded`, it has heard nothing.
 *
 * @category constructors
 * @since 0.1.0
 */
export const concluded = (
  { holds: _, ...self }: Process,
  { how: __, ...facing }: Facing,
  concluded?: LocalTransaction.Concluded
): Process => ({
  ...self,
  doing: { ...facing, via: "readback", ...(concluded === undefined ? {} : { concluded }) }
})

/**
 * What a process would commit next, in the words of the ontology.
 *
 * @category getters
 * @since 0.1.0
 */
export const pending = (log: ExploredLog.ExploredLog, self: Process): ReadonlyArray<string> => {
  if (self.doing._tag !== "Appending") return []
  const staged = stagedDrafts(log, self)
  const { decided } = self.doing
  const drafts = decided._tag === "Waiting" ? [] : log.decide(log.node(self.at), { ...askedOf(decided), staged }).drafts
  return [...staged, ...drafts].map(({ body }) => body.type)
}

/** What is being undone is undone to its end before anything is proposed. */
const goOn = (scene: Scene, self: Process): Process =>
  !isUndoing(scene.log.node(self.at).position.state)
    ? propose(scene, self)
    : decide(scene, { ...self, task: "undo" }, { _tag: "Compensate" })

const isUndoing = (state: State): boolean => UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined

/** The payment, if it stands or is being undone. Once a person has decided about that, nobody wants it undone again. */
const paymentOf = ({ log }: Scene, self: Process): string | undefined => {
  const { position, transitions } = log.node(self.at)
  const isDecided = transitions.some(({ body }) => body.type === "review.decided")
  return isDecided ? undefined : SettledActions.inOrder(position.state)[0]?.[0]
}

const propose = (scene: Scene, self: Process): Process =>
  decide(
    scene,
    { ...self, task: "propose" },
    { _tag: "Propose", proposal: Scenario.proposalOf(scene.log.scenario, self.run) }
  )

const stagedDrafts = (log: ExploredLog.ExploredLog, self: Process): ReadonlyArray<Draft> => {
  const node = log.node(self.at)
  const staged: Array<Draft> = []
  for (const decided of self.staged)
    staged.push(...log.decide(node, { ...askedOf(decided), staged: [...staged] }).drafts)
  return staged
}

/** The tail is taken in; what was staged is decided again, and may have been answered by what others did. */
const again = (scene: Scene, self: Process, decided: Decided | Waiting): Process => {
  const { clock, log } = scene
  let caughtUp: Process = { ...self, staged: [] }
  for (const each of self.staged) {
    const staged = stagedDrafts(log, caughtUp)
    const decision = log.decide(log.node(self.at), { ...askedOf({ ...each, clock }), staged })
    if (decision.flush === "now") return face(scene, caughtUp, decision.next, each)
    if (decision.drafts.length > 0) {
      caughtUp = { ...caughtUp, staged: [...caughtUp.staged, { ...each, clock }] }
    }
  }
  return decided._tag === "Decided"
    ? decide(scene, caughtUp, decided.command, { ...decided, refusal: undefined })
    : { ...caughtUp, doing: caughtUp.staged.length === 0 ? decided : { _tag: "Appending", decided } }
}

/**
 * What is sent although nobody could look: the look has failed, or what was deferred by it was begun again without one.
 */
const isUnread = ({ log }: Scene, self: Process, action: string, command: Command): boolean => {
  if (command._tag === "ReadBefore") return command.evidence._tag === "Unknown" || command.evidence._tag === "Error"
  const own = [...log.node(self.at).transitions, ...stagedDrafts(log, self)].filter(
    ({ body }) => body.action?.id === action
  )
  const [decided, began] = own.slice(-2)
  return began?.body.type === "action.started" && Payload.of(decided!.body, "recovery.decided")?.defers === true
}

/** What a process goes on to do with the payment once it has made it, if that stands. */
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

/** Whatever else comes next, what was held open is aborted. */
const face = (scene: Scene, process: Process, next: Next, asking: Asking): Process => {
  const { holds, ...rest } = process
  const self = holds === undefined || next._tag === "ReadInside" || next._tag === "Conclude" ? process : rest
  switch (next._tag) {
    case "Wait": {
      const wait: Waiting = { _tag: "Waiting", action: next.action, until: next.untilMillis }
      return { ...self, doing: self.staged.length === 0 ? wait : { _tag: "Appending", decided: wait } }
    }
    case "End": {
      if (self.task === "recover") return goOn(scene, self)
      const follows = self.task === "propose" ? followed(scene, self) : undefined
      if (follows !== undefined) return follows
      const isBehind = next.outcome._tag === "Held" && next.outcome.run !== undefined
      const behind = isBehind ? { behind: asking.behind } : {}
      return { ...self, staged: [], doing: { _tag: "Ended", outcome: outcomeOf(scene, self, next), ...behind } }
    }
    case "Compensate": {
      const { untilMillis = 0 } = next
      return untilMillis <= ExploredLog.millisOf(scene.clock)
        ? decide(scene, self, { _tag: "Compensate" })
        : { ...self, doing: { _tag: "Waiting", action: undefined, until: untilMillis } }
    }
    case "Complete":
      return decide(scene, self, { _tag: next._tag })
    case "Await": {
      const { command, learnt = Learnt.nothing, waits = scene.clock } = asking
      const again: Asking = { command, learnt: { ...learnt, since: next.since }, waits }
      return { ...self, doing: { _tag: "Waiting", action: undefined, until: next.untilMillis, again } }
    }
    case "ReadOriginal": {
      const { action, via } = next.original
      const own = OwnRequest.of(scene.log.node(self.at).transitions, action)!
      const { key = "", tool } = own
      const by = Number.POSITIVE_INFINITY
      return { ...self, doing: { _tag: "Facing", via: "original", action, key, tool, by, sent: { ...own, via } } }
    }
    case "Again":
    case "Look":
      throw new Error(`${next._tag} is answered where a command is decided`)
    default: {
      const { action, key = "", sendBefore, tool } = next.request
      const ending: Ending = next._tag === "Conclude" ? { how: next.how } : {}
      const isBlind = next._tag === "Call" && isUnread(scene, self, action, asking.command)
      const about = { ...ending, ...(isBlind ? ({ unread: true } as const) : {}) }
      const doing: Facing = { _tag: "Facing", via: vias[next._tag], action, key, tool, by: sendBefore, ...about }
      return { ...self, doing }
    }
  }
}

/** What the record says of an action that was done before is what its caller is told. */
const outcomeOf = ({ log }: Scene, self: Process, { outcome }: Next & { readonly _tag: "End" }) => {
  if (outcome._tag !== "Done" || outcome.adopted?.action === undefined) return outcome._tag
  const { action, run } = outcome.adopted
  if (run !== log.run.id) return "Done"
  const settlement = log
    .node(self.at)
    .transitions.find(({ body }) => body.type === "action.reconciled" && body.action?.id === action)
  return settlement?.body.result?.status === "ok" ? "Done" : "Failed"
}
