/**
 * One line for each committed transition: the tick, its type, and its effect.
 *
 * @source Dendrer, section 7
 */
import * as Instance from "@backstitch/admissibility/Instance"
import * as Payload from "@backstitch/kernel/Payload"
import * as UndoStop from "@backstitch/kernel/UndoStop"
import * as ApprovedArguments from "@backstitch/runtime/ApprovedArguments"
import * as RevisionDocuments from "@backstitch/runtime/RevisionDocuments"
import * as Memo from "@backstitch/topology/Memo"
import type { Json } from "@backstitch/trace/Canonical"
import type { Outcome } from "@backstitch/trace/Transition"
import * as Changes from "@backstitch/version-control/Changes"
import * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import type { Step } from "@backstitch/version-control/Step"
import * as Wording from "@backstitch/wording/Wording"
import * as Terminal from "../terminal/Terminal.ts"
import * as Wrapping from "../terminal/Wrapping.ts"
import * as MemoText from "./MemoText.ts"
import * as RecoveryView from "./RecoveryView.ts"
import * as ValueText from "./ValueText.ts"

/**
 * Writes the line of a step. `last` is the last known tick of the run, for the width of the number; without it, what
 * follows stays in its column up to tick 999. `change` is that of the progress, if it was asked for.
 */
export const render = (step: Step, last = 99, change?: number): string => {
  const width = Math.max(2, String(last).length)
  const number = String(step.transition.tick)
    .padStart(width, "0")
    .padEnd(width + 1)
  return Wrapping.cut(`${Terminal.dim("TICK")} ${number} ${told(step, change)}`, Terminal.width)
}

/** Describes a step without its tick: its type, its subject and its effect. */
export const told = (step: Step, change?: number): string => {
  const { notes, tool, type } = parts(step, change)
  return Terminal.line(`${paint(step)(type.padEnd(typeWidth))}  ${tool.padEnd(toolWidth)}  ${notes}`.trimEnd())
}

/** The parts of a line, without colours of its own. */
export const parts = (
  step: Step,
  change?: number
): { readonly notes: string; readonly tool: string; readonly type: string } => {
  const { body } = step.transition
  const notes = [
    ...(body.confidence === undefined ? [] : [`confidence=${body.confidence.toFixed(2)}`]),
    ...(change === undefined ? [] : [`progress=${change < 0 ? "" : "+"}${change.toFixed(2)}`]),
    ...said(step)
  ]
  return { notes: notes.join("  "), tool: step.tool ?? "", type: body.type }
}

/** The length of the longest frequent type; longer ones push their line to the right. */
const typeWidth = 19

/** The length of most tool names; a longer one pushes its line to the right. */
const toolWidth = 20

const paint = ({ transition: { body } }: Step): ((text: string) => string) => {
  if (body.type === "kernel.anomaly" || body.type === "predicate.violation") return Terminal.bad
  if (body.type === "intent.refused" || body.type === "budget.exhausted") return Terminal.wary
  if (body.policy !== undefined && body.policy.decision !== "allow") return Terminal.wary
  if (body.result?.status === "unknown" || body.result?.status === "mismatch") return Terminal.wary
  if (body.result?.status === "error") return Terminal.bad
  return body.type === "action.reconciled" || body.type === "goal.complete" ? Terminal.good : (text) => text
}

const said = (step: Step): ReadonlyArray<string> => {
  const { stamp } = step.transition
  const body = Payload.read(step.transition.body)
  const { action, intent, result } = body
  const told = intent?.description === undefined ? [] : [intent.description]
  switch (body.type) {
    case "run.started":
    case "run.fork":
    case "run.cherrypick":
    case "run.rebase":
      return ofRun(body)
    case "action.request":
      return [
        ...told,
        ValueText.brief(action?.params ?? null),
        ...(body.data?.adopted === undefined ? [] : [done(body.data.adopted)]),
        ...glass(body.data?.breakGlass)
      ]
    case "action.started":
      return [
        stamp.key === undefined ? "no key" : `key ${stamp.key.slice(0, 8)}… durable`,
        ...(action?.target === undefined ? [] : [`holds ${action.target}`])
      ]
    case "action.result":
      return answered(step, body)
    case "action.verified":
      return read(step, body)
    case "action.reconciled":
      return [settled(result), ...changes(step)]
    case "recovery.decided":
      return [recovered(body.data ?? {})]
    case "recovery.restored":
      return [restored(body.data), ...changes(step)]
    case "review.requested":
      return [asked(body.data)]
    case "review.decided":
      return [decided(body.data ?? {})]
    case "intent.refused":
      return [Wording.kept(body.data?.checks) ?? ""]
    case "intent.adopted": {
      const { adopted, count } = body.data
      return [`settled already by ${of(adopted)}: the record answered${count === undefined ? "" : ` ${count} times`}`]
    }
    case "intent.dropped":
      return ["never started, so nothing happened"]
    case "policy.decision":
      return permitted(body)
    case "predicate.violation":
      return [violated(body.data)]
    case "kernel.anomaly":
      return [`${body.data.kind}${attempted(body.data)}`]
    case "sealed.erased":
      return [`${counted(body.data.values)} by ${body.data.by}: ${body.data.reason}`]
    case "revision.injected":
    case "revision.absorbed":
      return [ofRevision(body)]
    case "message.received":
      return [words(body.data?.content)]
    case "message.sent":
      return [...marks(body.data?.marked), words(body.data?.content)]
    default:
      return [...told, ...proposed(step)]
  }
}

/** Describes a transition of an agent by its memo, by what it changes, or by its data. */
const proposed = (step: Step): ReadonlyArray<string> => {
  const { body } = step.transition
  const memo = Memo.of(body)
  if (memo !== undefined) return [MemoText.of(memo, ValueText.brief)]
  const changed = changes(step)
  if (changed.length > 0) return changed
  return Object.keys(body.data ?? {}).length > 0 ? [ValueText.brief(body.data ?? {})] : []
}

/** Describes the answer of a tool, or a delivery. */
const answered = (step: Step, { data = {}, result }: Own<"action.result">): ReadonlyArray<string> =>
  data.told === undefined
    ? [
        `${result?.status ?? "?"}${basis(result, data.delivery && "webhook")}`,
        ValueText.brief(result?.output ?? null),
        ...changes(step)
      ]
    : [`kept for whoever decides: ${ValueText.brief(data.told)}`]

/** Describes a record, and the moment at which it was read. */
const read = (step: Step, { data = {}, result }: Own<"action.verified">): ReadonlyArray<string> => {
  if (data.undoing !== undefined) return [looked(result, data)]
  const output = ValueText.brief(result?.output ?? null)
  if (data.before !== undefined) return [`before it was sent: ${output}`]
  const shown = data.unmet === undefined ? output : Wording.tellAll(data.unmet)
  return [`${result?.status ?? "?"}${basis(result, data.via)}`, shown, ...changes(step)]
}

/** Describes the decision of policy, or the person who decides instead. */
const permitted = (body: Own<"policy.decision">): ReadonlyArray<string> => {
  const { data = {}, policy } = body
  const { awaits, needs = [], tool = "", why } = data
  if (awaits !== undefined) return [`waits for ${of(awaits)}, which is not settled`]
  const to = needs.length === 0 ? "" : ` to ${needs.join(" or ")}`
  const before = ApprovedArguments.lapsed(body)
  const more = before === null ? "" : `; ${before}`
  return [`${policy?.decision ?? "decided"}${to}: ${Wording.tell(why) || tool}${more}`]
}

/** Describes the origin of a run, and the parts of other runs that it takes over. */
const ofRun = (body: Own<"run.cherrypick" | "run.fork" | "run.rebase" | "run.started">): ReadonlyArray<string> => {
  switch (body.type) {
    case "run.started":
      return [`goal="${body.data.goal}"`, ...(body.data.follows ?? []).slice(0, 1).map(({ run }) => `follows ${run}`)]
    case "run.fork": {
      const { at, parent, rebase, reason = "" } = body.data
      const replayed = rebase === undefined ? [] : [`replays ${rebase.run}@${rebase.from}..${rebase.to}`]
      return [`shares ${parent} up to tick ${at}`, ...replayed, ...(reason === "" ? [] : [reason])]
    }
    case "run.rebase": {
      const { outcome, why } = body.data
      return [`${outcome}${why === undefined ? "" : `: ${Wording.tell(why)}`}`]
    }
    case "run.cherrypick": {
      const { adopted, recorded, source } = body.data
      const note = adopted === undefined ? "" : `, ${done(adopted)}`
      return [
        `from ${source.run}@${source.tick}${note}${recorded === undefined ? "" : ", its outcome from the record"}`
      ]
    }
  }
}

/** A body of one of these types. */
type Own<T extends Payload.Body["type"]> = Extract<Payload.Body, { readonly type: T }>

const settled = ({ basis = "recorded", status }: Outcome = { status: "unknown" }): string =>
  Wording.stepRemark({ code: "settled", basis, status })

const recovered = ({ decision, discrepancy, due, stop }: NonNullable<Payload.Of<"recovery.decided">>): string => {
  if (stop === "altered" && decision === undefined) return Wording.stepRemark({ code: "recovery_altered" })
  if (stop !== undefined) {
    return Wording.stepRemark({ code: "recovery_stopped", because: Wording.tell(UndoStop.stopped({ stop })) })
  }
  return Wording.stepRemark({ code: "recovered", decision, discrepancy, isLater: due === true })
}

const ofRevision = (body: Own<"revision.absorbed" | "revision.injected">): string =>
  body.type === "revision.injected" ? injected(body.data) : absorbed(body.data)

const injected = ({ changes, keeps = [], widens }: Payload.Of<"revision.injected">): string => {
  const kept = keeps.length === 0 ? "" : `, keeps ${keeps.join(", ")}`
  return `${changes.map((change) => RevisionDocuments.changed(change)).join("; ")}${kept}${widens ? ", widened" : ""}`
}

const absorbed = ({ conflicts, discarded, lost, undo }: Payload.Of<"revision.absorbed">): string => {
  if (discarded.length === 0) return conflicts.length === 0 ? "everything fits" : "kept as it is"
  const gone = lost.length === 0 ? "" : `, loses ${lost.map(({ action }) => action).join(", ")}`
  return `discards ${discarded.join(", ")}, undoes ${undo.length === 0 ? "nothing" : undo.join(", ")}${gone}`
}

const restored = (data: Payload.Of<"recovery.restored">): string => {
  const { absent = [], attested = [], because, checkpoint, policy, residue, undone } = data
  const by = policy === undefined ? {} : { policy: RecoveryView.policyOf(policy) }
  const back =
    checkpoint === undefined
      ? {}
      : {
          checkpoint: { instance: Instance.show(checkpoint), kind: checkpoint.kind, tick: checkpoint.tick, ...by }
        }
  const acts = { absent, attested, residue, undone }
  return Wording.stepRemark({ code: "restored", ...back, ...acts, because: Wording.tell(because) })
}

interface Act {
  readonly action?: string | undefined
  readonly run?: string | undefined
  readonly tick: number
}

const of = ({ action, run, tick }: Act): string => `${action ?? `tick ${tick}`}${run === undefined ? "" : ` of ${run}`}`

const done = (act: Act): string => `done already by ${of(act)}`

/** A review of a call shows who decides, and a review of an action its reason. */
const asked = ({ needs, review, triggers = [] }: Payload.Of<"review.requested">): string =>
  needs === undefined
    ? `asked for: ${triggers.length === 0 ? review : triggers.join(", ")}`
    : `${review} asks${needs.length === 0 ? "" : ` ${needs.join(" or ")}`}`

/** A decision about a review names a role; one about an action names evidence. */
const decided = (said: NonNullable<Payload.Of<"review.decided">>): string => {
  const { action = "", as = "", by = "", evidence = "", reason = "", review = "", role, verdict } = said
  const what = verdict === undefined ? `${action} ${as}` : `${review} ${verdict}`
  const on = evidence || reason
  return `${what} by ${by}${role === undefined ? "" : ` (${role})`}${on === "" ? "" : `: ${on}`}`
}

const words = (content: Json | undefined): string => ValueText.plain(content).replace(/\s+/g, " ").slice(0, 100)

/** Marks a message whose claims differ from the record, before its text, which may be cut. */
const marks = (marked: NonNullable<Payload.Of<"message.sent">>["marked"] = []): ReadonlyArray<string> =>
  marked.map(({ action, claimed, found }) => `${action} told as ${claimed}, is ${found}`)

/** At most two changed fields; `show` prints the others. */
const changes = ({ after, before }: Step): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const change of Changes.between(before, after)) {
    if (found.length === 2) return [...found, "…"]
    const path = change.path.slice(1).replaceAll("/", ".")
    if (change.before === undefined) found.push(`+ ${path} ${ValueText.brief(change.after ?? null)}`)
    else if (change.after === undefined) found.push(`- ${path}`)
    else found.push(`${path} ${ValueText.brief(change.before)} → ${ValueText.brief(change.after)}`)
  }
  return found
}

/** Describes the own record of an action, read before the action was undone. */
const looked = (
  result: Outcome | undefined,
  { absent, altered, attested, difference, read, reason }: NonNullable<Payload.Of<"action.verified">>
): string => {
  const output = result?.output ?? null
  const record = output === null ? undefined : ValueText.brief(output)
  if (absent === true) return Wording.stepRemark({ code: "undo_absent" })
  if (attested === true) return Wording.stepRemark({ code: "undo_attested", record })
  if (altered === true) {
    const how = difference === undefined ? undefined : Wording.difference(difference)
    return Wording.stepRemark({ code: "undo_altered", difference: how, record })
  }
  if (read === "ok") return Wording.stepRemark({ code: "undo_due", record: ValueText.brief(output) })
  if (read === "pending") return Wording.stepRemark({ code: "undo_pending" })
  const because = reason === undefined ? undefined : Wording.tell(reason)
  return Wording.stepRemark({ code: "undo_unknown", because })
}

/** Describes the basis of an answer; a delivery answers no question. */
const basis = (result: Outcome | undefined, via: string | undefined): string => {
  const rests = via === "webhook" ? via : result?.basis
  return rests === undefined ? "" : ` (${rests})`
}

/** An alarm may be recorded later than its crack began, which the commit of a violation reports at once. */
const violated = ({ at, predicate }: Payload.Of<"predicate.violation">): string =>
  Wording.stepRemark({ code: "violated", predicate, ...(OnsetQuestion.isCrack(predicate) ? { since: at } : {}) })

/** Describes what was attempted, and by whom, or what failed. */
const attempted = ({ at, author, from, predicate, states, to, tool, type }: Payload.Of<"kernel.anomaly">): string => {
  const about = [
    ...(type === undefined ? [] : [`${author ?? "an author"} attempted ${type}`]),
    ...(to === undefined ? [] : [`${tool ?? "an action"} attempted ${from ?? "nothing"} → ${to}`]),
    ...(predicate === undefined ? [] : [`${predicate} could not be evaluated`]),
    ...(states === undefined ? [] : [`${states} states did not come out again`]),
    ...(at === undefined ? [] : [`at tick ${at}`])
  ]
  return about.length === 0 ? "" : `: ${about.join(", ")}`
}

const counted = ({ length }: ReadonlyArray<unknown>): string => (length === 1 ? "1 value" : `${length} values`)

const glass = (broken: NonNullable<Payload.Of<"action.request">>["breakGlass"]): ReadonlyArray<string> =>
  broken === undefined ? [] : [Terminal.wary(`${broken.by} broke the glass: ${broken.reason}`)]
