/**
 * One state of an exploration, and every possible step from it.
 *
 * A state consists of a shared log (or one for each run), two processes, the messages under way between them and the
 * world, the world itself, and a clock.
 */
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Result from "effect/Result"
import type * as ExploredDoing from "./ExploredDoing.ts"
import * as ExploredLog from "./ExploredLog.ts"
import * as ExploredPerson from "./ExploredPerson.ts"
import * as ExploredProcess from "./ExploredProcess.ts"
import type { Setting } from "./ExplorerSetting.ts"
import * as Scenario from "./Scenario.ts"
import * as World from "./World.ts"

/** A request, or what a tool is about to send. */
interface ExploredCall {
  readonly to: number | undefined
  readonly call: number
  readonly action: string
  readonly key: string
  readonly tool: string
  /** Set if the record should have been read before this was sent, and could not be. */
  readonly unread?: true
  /** Set if the original was already undone when the sender last asked about it. */
  readonly knew: boolean
}

/** A call with a tool that has not sent its request, and drops it after the moment `by`. */
type ExploredCalling = ExploredCall & { readonly _tag: "Calling"; readonly by: number }

/** A message under way. `to` is the process that asked, or `undefined` if that process has died. */
export type ExploredMessage =
  | (ExploredCall & { readonly _tag: "Request"; readonly sentAt: number })
  | ExploredCalling
  | {
      readonly _tag: "Answer"
      readonly to: number
      readonly call: number
      readonly action: string
      readonly via: ExploredDoing.Via
      readonly evidence: Evidence
      readonly askedAt: number
      readonly sent?: ExploredDoing.Sent
    }

/** A state. `left` counts the faults that may still happen. */
export interface ExplorerState {
  readonly clock: number
  /** The head of each run. */
  readonly heads: ReadonlyArray<ExploredLog.Node>
  readonly processes: readonly [ExploredProcess.Process, ExploredProcess.Process]
  readonly network: ReadonlyArray<ExploredMessage>
  readonly world: World.World
  readonly left: Scenario.Faults
}

/** A step and the next state. Without a state, the step itself violated a law. */
export interface ExplorerStep {
  readonly label: string
  readonly state: ExplorerState | undefined
}

/** The state in which each run has begun and no process is running. */
export const initial = ({ logs, same, scenario }: Setting): ExplorerState => ({
  clock: 0,
  heads: logs.map(({ begun }) => begun),
  processes: [
    same(ExploredProcess.down(0)),
    same(ExploredProcess.down(logs.length - 1, asides[scenario.restores ?? "alone"]))
  ],
  network: [],
  world: World.empty,
  left: scenario.faults
})

const asides = { alone: undefined, both: undefined, posted: "post", read: "memo" } as const

/** Every possible step from a state. */
export const steps = (setting: Setting, self: ExplorerState): ReadonlyArray<ExplorerStep> => {
  const found: Array<ExplorerStep> = []
  for (const index of [0, 1] as const) ofProcess(setting, self, index, found)
  for (const message of self.network) {
    if (message._tag === "Request") ofRequest(setting, self, message, found)
    else if (message._tag === "Calling") found.push(ofCalling(self, message))
    else ofAnswer(setting, self, message, found)
  }
  if (self.left.hands > 0 && self.world.effects.length > 0 && !World.isUndone(self.world)) {
    const world: World.World = { ...self.world, byHand: true }
    found.push({ label: "somebody undoes the payment by hand", state: { ...spending(self, "hands"), world } })
  }
  for (const [run, head] of self.heads.entries()) {
    const { clock, left, world } = self
    for (const { after, fault, label } of ExploredPerson.verdicts(setting.logs[run]!, head, { clock, left, world }))
      found.push({ label, state: { ...spending(self, fault), heads: self.heads.with(run, after) } })
  }
  if (self.clock < setting.scenario.horizon) {
    const clock = self.clock + 1
    found.push({ label: `the clock shows ${clock}`, state: { ...self, clock } })
  }
  return found.map(({ label, state }) => ({ label, state: state && pruned(setting, state) }))
}

const nameOf = (index: number): string => `P${index + 1}`

const withProcess = (self: ExplorerState, index: number, process: ExploredProcess.Process): ExplorerState => ({
  ...self,
  processes: index === 0 ? [process, self.processes[1]] : [self.processes[0], process]
})

const spending = (self: ExplorerState, fault: keyof Scenario.Faults): ExplorerState => ({
  ...self,
  left: { ...self.left, [fault]: self.left[fault] - 1 }
})

const sceneOf = (
  { logs }: Setting,
  { clock, heads }: ExplorerState,
  { run }: ExploredProcess.Process
): ExploredProcess.Scene => ({ log: logs[run]!, clock, others: heads.filter((_, other) => other !== run) })

const ofProcess = (setting: Setting, self: ExplorerState, index: 0 | 1, found: Array<ExplorerStep>): void => {
  const { logs, recall, same, scenario } = setting
  const { clock, heads } = self
  const process = self.processes[index]
  const { doing, run } = process
  const head = heads[run]!
  const scene = sceneOf(setting, self, process)
  const name = nameOf(index)
  const add = (label: string, next: ExploredProcess.Process, state = self) =>
    found.push({ label: `${name} ${label}`, state: withProcess(state, index, next) })

  const begin = () => recall(scene, process, `start ${head.id}`, () => ExploredProcess.start(scene, process, head))
  if (doing._tag === "Down" && index === 1 && scenario.restores === "alone") return
  if (doing._tag === "Down") add("starts", begin())
  else if (self.left.crashes > 0) {
    const crashed = spending(cutOff(self, index), "crashes")
    if (doing._tag !== "Ended") add("dies", same(ExploredProcess.down(run, process.aside)), crashed)
    else add("is started once more", begin(), crashed)
  }
  ofNews(setting, self, index, add)
  switch (doing._tag) {
    case "Appending": {
      const appended = ExploredProcess.append(scene, { ...process, doing }, head)
      if (Result.isFailure(appended)) {
        const { namespace } = appended.failure.command.refusal
        // Acts that were taken over, or called off by a person, have used their turn, so the next turn is asked for
        // (decision 0023).
        const isRival = logs.length > 1 || scenario.faults.verdicts > self.left.verdicts
        if (isRival) add(`is refused a ${namespace}`, same({ ...process, doing: appended.failure }))
        else found.push({ label: `${name} is refused a name`, state: undefined })
        return
      }
      const { head: next, process: appending } = appended.success
      if (next === head) add("was not the first, catches up and decides again", same(appending))
      else {
        const committed = ExploredProcess.pending(process).join(", ")
        add(`commits ${committed}`, same(appending), { ...self, heads: heads.with(run, next) })
      }
      return
    }
    case "Meeting":
      add(
        `looks at what run ${doing.command.refusal.holder.run} did`,
        recall(scene, process, "meet", () => ExploredProcess.meet(scene, process, doing))
      )
      return
    case "Facing":
      found.push(asking(setting, self, index, doing))
      if (self.left.unread > 0 && isRead(doing))
        found.push(asking(setting, spending(self, "unread"), index, doing, true))
      return
    case "Waiting":
      if (ExploredLog.millisOf(clock) >= doing.until) {
        const label = doing.waits === undefined ? "has waited, and recovers" : "has waited, and asks again"
        add(
          label,
          recall(scene, process, "wake", () => ExploredProcess.wake(scene, process, doing))
        )
      }
      return
    case "Awaiting": {
      const { ends } = doing
      if (ends !== undefined) {
        add("gives up on its conclude", same(ExploredProcess.concluded(process, ends)))
        return
      }
      const evidence: Evidence = { _tag: "Unknown", reason: "no answer" }
      const command = ExploredProcess.answered({ ...doing, evidence })
      add(
        `gives up on its ${doing.via}`,
        recall(scene, process, "give up", () => ExploredProcess.decide(scene, process, command))
      )
    }
  }
}

/** A process is told the contrary of a settlement, or has been answered by a person and asks again. */
const ofNews = (
  setting: Setting,
  self: ExplorerState,
  index: 0 | 1,
  add: (label: string, next: ExploredProcess.Process, state?: ExplorerState) => void
): void => {
  const { logs, recall } = setting
  const process = self.processes[index]
  const { doing, run } = process
  const head = self.heads[run]!
  const scene = sceneOf(setting, self, process)
  if (doing._tag === "Ended" && ExploredPerson.isAnswered(doing, head)) {
    const asked = recall(scene, process, `ask again ${head.id}`, () => ExploredProcess.askAgain(scene, process, head))
    add("asks again", asked)
  }
  if (self.left.contradictions === 0) return
  // A process that has ended reads the log anew.
  const hearing = doing._tag === "Ended" ? { ...process, at: head.id } : process
  const contrary = ExploredPerson.contrary(hearing, logs[run]!.node(hearing.at))
  if (contrary === undefined) return
  const { action, evidence } = contrary
  const command = ExploredProcess.answered({ action, via: "call", evidence })
  const told = recall(scene, hearing, `contrary ${action}`, () => ExploredProcess.decide(scene, hearing, command))
  add(`is told of ${action} by its provider: ${evidence._tag}`, told, spending(self, "contradictions"))
}

/** Tells whether a question reads the record itself, and does not ask for the status of a key. */
const isRead = ({ sent, via }: ExploredDoing.Facing): boolean =>
  via === "before" || via === "readback" || (via === "original" && sent?.via !== "status")

/** Sends a request. A question is answered when it is sent: a later answer would equal a later question. */
const asking = (
  setting: Setting,
  self: ExplorerState,
  index: 0 | 1,
  facing: ExploredDoing.Facing,
  isRefused = false
): ExplorerStep => {
  const { recall, same, scenario } = setting
  const { clock } = self
  const process = self.processes[index]
  const scene = sceneOf(setting, self, process)
  const { action, by, concluded, key, sent, tool, unread, via } = facing
  const now = ExploredLog.millisOf(clock)
  const isLate = scenario.drops && Interpreter.isLate({ sendBefore: by }, now)
  if (via === "conclude") return concluding(setting, self, index, facing)
  if ((via === "call" || via === "open") && isLate) {
    const command = { _tag: "Recover", action } as const
    const recovering = recall(scene, process, "drop", () => ExploredProcess.decide(scene, process, command))
    return { label: `${nameOf(index)} drops its request, and recovers`, state: withProcess(self, index, recovering) }
  }
  const aside = via === "call" ? World.aside(tool) : undefined
  if (aside !== undefined) {
    const command = ExploredProcess.answered({ action, via, evidence: aside })
    const told = recall(scene, process, tool, () => ExploredProcess.decide(scene, process, command))
    const label = `${nameOf(index)} sends its ${tool}: the world says ${aside._tag}`
    return { label, state: withProcess(self, index, told) }
  }
  const call = process.calls + 1
  const about = { ...(concluded === undefined ? {} : { concluded }), ...(sent === undefined ? {} : { sent }) }
  const doing = { _tag: "Awaiting", via, action, call, ...about } as const
  const { knew = World.isUndone(self.world), ...rest } = process
  const learnt = via === "original" ? { knew: World.isUndone(self.world) } : {}
  const asks = via === "call" || via === "original" ? rest : process
  const awaiting = withProcess(self, index, same({ ...asks, ...learnt, calls: call, doing }))
  const send = (message: ExploredMessage): ExplorerState => ({ ...awaiting, network: [...self.network, message] })
  if (via === "call") {
    const request = { to: index, call, action, key, tool, ...(unread && { unread }), knew } as const
    if (scenario.dawdles === undefined) {
      const label = `${nameOf(index)} sends its request`
      return { label, state: send({ _tag: "Request", ...request, sentAt: clock }) }
    }
    const until = scenario.dawdles === "moment" ? by : now + Scenario.sendingMillis(scenario)
    return { label: `${nameOf(index)} calls its tool`, state: send({ _tag: "Calling", ...request, by: until }) }
  }
  const shown = (): Evidence => {
    if (isRefused) return World.unread
    if (via === "status" || sent?.via === "status") return World.status(self.world, scenario, { key, clock })
    if (via === "open" || via === "inside") return World.inside(scenario)
    return World.readback(self.world, scenario, tool)
  }
  const evidence = shown()
  return {
    label: `${nameOf(index)} asks (${via}): the world says ${evidence._tag}`,
    state: send({ _tag: "Answer", to: index, call, action, via, evidence, askedAt: clock, ...(sent && { sent }) })
  }
}

/** Carries a verdict out. A commit is then under way like any request; a rollback has no effect. */
const concluding = (
  { same, scenario }: Setting,
  self: ExplorerState,
  index: 0 | 1,
  facing: ExploredDoing.Facing
): ExplorerStep => {
  const process = self.processes[index]
  const { action, by, how = "commit", key } = facing
  const now = ExploredLog.millisOf(self.clock)
  const end = scenario.drops ? Interpreter.endOf({ how, request: { sendBefore: by } }, now) : how
  if (process.holds === undefined) {
    const next = same(ExploredProcess.concluded(process, facing))
    return { label: `${nameOf(index)} holds nothing open`, state: withProcess(self, index, next) }
  }
  if (end === "roll_back") {
    const world: World.World = process.holds === "astray" ? { ...self.world, astray: true } : self.world
    const next = same(ExploredProcess.concluded(process, facing, "rolled_back"))
    return { label: `${nameOf(index)} rolls back`, state: { ...withProcess(self, index, next), world } }
  }
  const call = process.calls + 1
  const doing = { _tag: "Awaiting", via: "conclude", action, call, ends: facing } as const
  const { holds: _, ...rest } = process
  const sentAt = self.clock
  const message: ExploredMessage = {
    _tag: "Request",
    to: index,
    call,
    action,
    key,
    tool: "commit",
    sentAt,
    knew: false
  }
  const state = withProcess(self, index, same({ ...rest, calls: call, doing }))
  return { label: `${nameOf(index)} sends its commit`, state: { ...state, network: [...self.network, message] } }
}

/** A tool sends what it was called for. What is late is dropped, and no step any more. */
const ofCalling = (self: ExplorerState, calling: ExploredCalling): ExplorerStep => {
  const { _tag: _, by: __, ...request } = calling
  const rest = self.network.filter((other) => other !== calling)
  const sent: ExploredMessage = { _tag: "Request", ...request, sentAt: self.clock }
  return { label: `the tool of ${nameOf(calling.to!)} sends its request`, state: { ...self, network: [...rest, sent] } }
}

const ofRequest = (
  { scenario }: Setting,
  self: ExplorerState,
  message: ExploredMessage & { readonly _tag: "Request" },
  found: Array<ExplorerStep>
): void => {
  const { action, call, key, knew, sentAt, to, tool } = message
  const deliver = (
    state: ExplorerState,
    does: "serves" | "refuses" | "confuses",
    rest: ReadonlyArray<ExploredMessage>,
    how: string
  ): void => {
    const request = { key, tool, clock: state.clock, refuses: does === "refuses", knew }
    const { evidence, world } =
      does === "confuses" ? World.confuse(state.world) : World.serve(state.world, scenario, request)
    const isNew = world.effects !== state.world.effects || world.reversals !== state.world.reversals
    const via = tool === "commit" ? "conclude" : "call"
    const answer = { _tag: "Answer", call, action, via, evidence, askedAt: sentAt } as const
    const network = to === undefined ? rest : [...rest, { ...answer, to }]
    const answers = isNew
      ? "the effect is committed"
      : does === "confuses"
        ? "the record of another act is shown"
        : evidence._tag === "Ok"
          ? "the key is recognised"
          : "it is refused"
    const from = to === undefined ? "a request" : `the request of ${nameOf(to)}`
    found.push({ label: `${from}, sent at ${sentAt}, arrives${how}: ${answers}`, state: { ...state, network, world } })
  }
  const rest = self.network.filter((other) => other !== message)
  deliver(self, "serves", rest, "")
  if (self.left.refusals > 0) deliver(spending(self, "refusals"), "refuses", rest, "")
  if (self.left.confusions > 0 && tool === "pay") deliver(spending(self, "confusions"), "confuses", rest, "")
  if (self.left.doubles > 0 && scenario.doublesRequests)
    deliver(spending(self, "doubles"), "serves", self.network, ", and will arrive once more")
}

const ofAnswer = (
  setting: Setting,
  self: ExplorerState,
  message: ExploredMessage & { readonly _tag: "Answer" },
  found: Array<ExplorerStep>
): void => {
  const { recall, scenario } = setting
  const { askedAt, call, evidence, sent, to, via } = message
  const index = to as 0 | 1
  const process = self.processes[index]
  const scene = sceneOf(setting, self, process)
  const { doing } = process
  // A process that is writing down a decision notices this afterwards.
  if (doing._tag === "Down" || doing._tag === "Appending") return
  const isAwaited = doing._tag === "Awaiting" && doing.call === call
  const rest = self.network.filter((other) => other !== message)
  if (via === "conclude" || via === "open" || via === "inside") {
    // Only the holder of an open transaction can get an answer about it, and never late.
    if (!isAwaited) return
    const next = recall(scene, process, `held ${askedAt} ${evidence._tag}`, () => holding(scene, process, message))
    const label = `${nameOf(index)} gets the answer ${evidence._tag} (${via})`
    found.push({ label, state: { ...withProcess(self, index, next), network: rest } })
    return
  }
  // A read before a call is awaited or given up, and its answer never comes late.
  if (!isAwaited && (via === "before" || self.left.late === 0)) return
  // Reads matter only for a transaction that may still be committed.
  const isTold = scenario.tellsWhen && (via !== "readback" || scenario.transaction !== undefined)
  const told = isTold ? { askedAt: ExploredLog.millisOf(askedAt) } : {}
  const { action } = message
  const ended = isAwaited && doing.concluded !== undefined ? { concluded: doing.concluded } : {}
  const command = ExploredProcess.answered({ action, via, evidence, sent, ...told, ...ended })
  const what = `answer ${action} ${via} ${JSON.stringify(evidence)} ${askedAt} ${isAwaited}`
  const next = recall(scene, process, what, () => ExploredProcess.decide(scene, process, command))
  const label = `${nameOf(index)} gets the ${isAwaited ? "" : "late "}answer ${evidence._tag} (${via})`
  const after = withProcess(isAwaited ? self : spending(self, "late"), index, next)
  found.push({ label, state: { ...after, network: rest } })
  if (self.left.doubles === 0 || after.left.late === 0) return
  found.push({ label: `${label}, and will get it once more`, state: spending(after, "doubles") })
}

/** Passes an answer to a process with an open transaction: that it is open, what it shows inside, or how it ended. */
const holding = (
  scene: ExploredProcess.Scene,
  process: ExploredProcess.Process,
  { action, askedAt, evidence, via }: ExploredMessage & { readonly _tag: "Answer" }
): ExploredProcess.Process => {
  const { doing } = process
  if (doing._tag === "Awaiting" && doing.ends !== undefined) {
    return ExploredProcess.concluded(process, doing.ends, evidence._tag === "Ok" ? "committed" : undefined)
  }
  const isAstray = via === "inside" && scene.log.scenario.transaction === "astray"
  const told = via === "open" ? { askedAt: ExploredLog.millisOf(askedAt) } : {}
  const command = ExploredProcess.answered({ action, via, evidence, ...told })
  return ExploredProcess.decide(scene, { ...process, holds: isAstray ? "astray" : "open" }, command)
}

/** Removes a process that died from the network: answers to it are dropped, and its requests stay. */
const cutOff = (self: ExplorerState, index: number): ExplorerState => ({
  ...self,
  network: self.network.flatMap((message) => {
    if (message.to !== index) return [message]
    return message._tag === "Request" ? [{ ...message, to: undefined, call: 0 }] : []
  })
})

/** Removes data that make no difference any more, so that states with equal behaviour are one state. */
const pruned = ({ same, scenario }: Setting, self: ExplorerState): ExplorerState => {
  const { clock, left, processes, world } = self
  const hears = (to: number | undefined, call: number): boolean => {
    if (to === undefined) return false
    const { doing } = processes[to as 0 | 1]
    return doing._tag !== "Down" && (left.late > 0 || (doing._tag === "Awaiting" && doing.call === call))
  }
  const network = self.network.flatMap((message): ReadonlyArray<ExploredMessage> => {
    const isHeard = hears(message.to, message.call)
    if (message._tag === "Answer") return isHeard ? [message] : []
    if (message._tag === "Calling") return ExploredLog.millisOf(clock) > message.by ? [] : [message]
    if (clock >= message.sentAt + scenario.times.settleAfter) return []
    if (isHeard) return [message]
    if (World.isDecided(world, scenario, { key: message.key, clock })) return []
    return [message.to === undefined && message.call === 0 ? message : { ...message, to: undefined, call: 0 }]
  })
  const rested = processes.map((process, index) =>
    process.doing._tag === "Ended" && process.at > 0 && !network.some(({ to }) => to === index)
      ? same({ ...process, at: 0, calls: 0, staged: [] })
      : process
  )
  return { ...self, network, processes: [rested[0]!, rested[1]!] }
}
