/**
 * One line a committed transition: the tick, what it was, and what it did.
 *
 * @source Dendrer, section 7
 * @since 0.1.0
 */
import * as Finding from "@backstitch/kernel/Finding"
import * as Payload from "@backstitch/kernel/Payload"
import * as Presence from "@backstitch/kernel/Presence"
import * as Undo from "@backstitch/kernel/Undo"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import type { Body, Outcome } from "@backstitch/trace/Transition"
import * as Changes from "@backstitch/version-control/Changes"
import type { Step } from "@backstitch/version-control/Step"
import * as Wording from "@backstitch/wording/Wording"
import * as Terminal from "./Terminal.ts"
import * as Wrapping from "./Wrapping.ts"

/**
 * Writes the line of a step. `last` is the last tick of the run, as far as it is known, for the width of the number.
 *
 * @category printing
 * @since 0.1.0
 */
export const render = (step: Step, last = 99): string => {
  const { tick } = step.transition
  const number = String(tick).padStart(Math.max(2, String(last).length), "0")
  return Wrapping.cut(`${Terminal.dim("TICK")} ${number}  ${told(step)}`, Terminal.width)
}

/**
 * What a step was and did, without its tick.
 *
 * @category printing
 * @since 0.1.0
 */
export const told = (step: Step): string => {
  const { body } = step.transition
  const notes = [...(body.confidence === undefined ? [] : [`confidence=${body.confidence.toFixed(2)}`]), ...said(step)]
  const about = step.tool ?? ""
  const type = paint(step)(body.type.padEnd(typeWidth))
  return Terminal.line(`${type}  ${about.padEnd(toolWidth)}  ${notes.join("  ")}`.trimEnd())
}

/** As long as the longest type that runs are full of; longer ones push their line to the right. */
const typeWidth = 19

/** As long as most names of tools; a longer one pushes its line to the right. */
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
  const { body, stamp } = step.transition
  const { action, data = {}, intent, policy, result } = body
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
        brief(action?.params ?? null),
        ...(data["adopted"] === undefined ? [] : [done(data["adopted"])]),
        ...glass(data)
      ]
    case "action.started":
      return [
        stamp.key === undefined ? "no key" : `key ${stamp.key.slice(0, 8)}… durable`,
        ...(action?.target === undefined ? [] : [`holds ${action.target}`])
      ]
    case "action.result":
    case "action.verified":
      if (data["undoing"] !== undefined) return [looked(step)]
      if (data["before"] !== undefined) return [`before it was sent: ${brief(result?.output ?? null)}`]
      if (data["told"] !== undefined) return [`kept for whoever decides: ${brief(data["told"])}`]
      return [
        `${result?.status ?? "?"}${basis(step)}`,
        ...(Array.isArray(data["unmet"]) ? [unmet(data["unmet"])] : [brief(result?.output ?? null)]),
        ...changes(step)
      ]
    case "action.reconciled":
      return [
        `settled${result?.status === "ok" ? "" : ` as ${settledAs[result?.status ?? "unknown"]}`} ${rests[result?.basis ?? "recorded"]}`,
        ...changes(step)
      ]
    case "recovery.decided":
      return [recovered(data)]
    case "review.requested":
      return [
        data["action"] === undefined && data["needs"] !== undefined ? asked(data) : `asked for: ${triggers(data)}`
      ]
    case "review.decided":
      return [decided(data)]
    case "intent.refused":
      return [Wording.kept(data["checks"]) ?? ""]
    case "intent.adopted":
      return [`settled already by ${of(data["adopted"] ?? null)}: the record answered${often(data)}`]
    case "intent.dropped":
      return ["never started, so nothing happened"]
    case "policy.decision":
      if (data["awaits"] !== undefined) return [`waits for ${of(data["awaits"])}, which is not settled`]
      return [`${policy?.decision ?? "decided"}: ${Wording.tell(data["why"]) || text(data["tool"])}${deciding(data)}`]
    case "predicate.violation":
      return [`${text(data["predicate"])} holds from here on`]
    case "kernel.anomaly":
      return [text(data["kind"] ?? "unnamed")]
    case "sealed.erased":
      return [`${erasedIn(data)} by ${text(data["by"])}: ${text(data["reason"])}`]
    case "message.received":
    case "message.sent":
      return [...marks(data), text(data["content"]).replace(/\s+/g, " ").slice(0, 100)]
    default: {
      const changed = changes(step)
      return [...told, ...(changed.length > 0 ? changed : Object.keys(data).length > 0 ? [brief(data)] : [])]
    }
  }
}

const replays = (fork: Payload.Of<"run.fork"> | undefined): ReadonlyArray<string> => {
  if (fork?.rebase === undefined) return []
  const { from, run, to } = fork.rebase
  return [`replays ${run}@${from}..${to}`]
}

/** Where a run comes from, and what it takes from others. */
const ofRun = (body: Body): ReadonlyArray<string> => {
  const { data = {}, type } = body
  switch (type) {
    case "run.started":
      return [`goal="${text(data["goal"])}"`]
    case "run.fork":
      return [
        `shares ${text(data["parent"])} up to tick ${text(data["at"])}`,
        ...replays(Payload.of(body, "run.fork")),
        ...(data["reason"] ? [text(data["reason"])] : [])
      ]
    case "run.rebase":
      return [`${text(data["outcome"])}${data["why"] === undefined ? "" : `: ${Wording.tell(data["why"])}`}`]
    default:
      return [imported(data)]
  }
}

/** What a record does not meet. */
const unmet = (found: ReadonlyArray<Json>): string => found.map((each) => Wording.tell(each)).join("; ")

const recovered = ({ decision, discrepancy, due, stop }: JsonObject): string => {
  if (stop === "altered" && decision === undefined) return "not sent: what it undoes is not as it was"
  if (stop === "altered" || stop === "denied") return `a person decides: ${Wording.tell(Undo.stopped({ stop }))}`
  const again = due === true ? ", once what it undoes was asked about" : ""
  const chosen = [discrepancy, decision].filter((part) => part !== undefined).map(text)
  return `${chosen.length === 0 ? "sent again" : chosen.join(": ")}${again}`
}

const of = (act: Json): string => {
  const { action, run, tick } = Canonical.objectOf(act)
  return `${action === undefined ? `tick ${text(tick)}` : text(action)}${run === undefined ? "" : ` of ${text(run)}`}`
}

const done = (act: Json): string => `done already by ${of(act)}`

const often = ({ count }: JsonObject): string => (count === undefined ? "" : ` ${text(count)} times`)

const asked = (data: JsonObject): string => `${text(data["review"])} asks${deciders(data)}`

const deciding = (data: JsonObject): string => (deciders(data) === "" ? "" : `, of${deciders(data)}`)

const deciders = ({ needs }: JsonObject): string =>
  Array.isArray(needs) && needs.length > 0 ? ` ${needs.map(text).join(" or ")}` : ""

const triggers = ({ review, triggers }: JsonObject): string =>
  Array.isArray(triggers) && triggers.length > 0 ? triggers.map(text).join(", ") : text(review)

/** A decision about a review is made in a role; one about an action rests on evidence. */
const decided = ({ action, as, by, evidence, reason, review, role, verdict }: JsonObject): string => {
  const what = verdict === undefined ? `${text(action)} ${text(as)}` : `${text(review)} ${text(verdict)}`
  const on = text(evidence) || text(reason)
  return `${what} by ${text(by)}${role === undefined ? "" : ` (${text(role)})`}${on === "" ? "" : `: ${on}`}`
}

/** What a message told otherwise than it stands: before its text, which may be cut. */
const marks = ({ marked = [] }: JsonObject): ReadonlyArray<string> =>
  (Array.isArray(marked) ? (marked as ReadonlyArray<JsonObject>) : []).map(
    ({ action, claimed, found }) => `${text(action)} told as ${text(claimed)}, is ${text(found)}`
  )

const imported = ({ adopted, recorded, source }: JsonObject): string => {
  const { run, tick } = Canonical.objectOf(source)
  const note = adopted === undefined ? "" : `, ${done(adopted)}`
  return `from ${text(run)}@${text(tick)}${note}${recorded === undefined ? "" : ", its outcome from the record"}`
}

/** At most two changed fields: the rest is one `show` away. */
const changes = ({ after, before }: Step): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const change of Changes.between(before, after)) {
    if (found.length === 2) return [...found, "…"]
    const path = change.path.slice(1).replaceAll("/", ".")
    if (change.before === undefined) found.push(`+ ${path} ${brief(change.after ?? null)}`)
    else if (change.after === undefined) found.push(`- ${path}`)
    else found.push(`${path} ${brief(change.before)} → ${brief(change.after)}`)
  }
  return found
}

/**
 * A value in a few characters of one line: `name=value` for objects, cut where it gets long.
 *
 * @category printing
 * @since 0.1.0
 */
export const brief = (value: Json): string => {
  const line = oneLine(value).slice(0, 1000).replace(/\s+/g, " ")
  return line.length > 72 ? `${line.slice(0, 71)}…` : line
}

/**
 * A value on one line, whole. One that fills a screen is cut, and says that `--json` has the rest.
 *
 * @category printing
 * @since 0.1.0
 */
export const full = (value: Json): string => {
  const line = oneLine(value)
  const most = 2000
  return line.length > most ? `${line.slice(0, most)}… (${line.length} characters: --json has all)` : line
}

const oneLine = (value: Json): string =>
  Finding.isFinding(value)
    ? Wording.tell(value)
    : Canonical.isObject(value)
      ? Object.entries(value)
          .map(([name, part]) => `${name}=${text(part)}`)
          .join(" ")
      : text(value)

const settledAs = { ok: "done", error: "failed", mismatch: "not as intended", unknown: "unknown" } as const

const rests: { readonly [B in NonNullable<Outcome["basis"]>]: string } = {
  attested: "on the word of who said so",
  readback: "by readback",
  recorded: "from the record",
  status: "by the record of its key"
}

/** What an answer rests on: what a provider told of its own accord is no answer to a question. */
/** What the own record of an action showed when it was to be undone. */
const looked = ({ transition: { body } }: Step): string => {
  const { absent, altered, attested, difference, read, reason } = body.data ?? {}
  if (absent === true) return "is to be undone: nothing of it is there"
  if (attested === true) return `is undone, as a person attests${shown(body)}`
  if (altered === true) {
    const how = Canonical.isObject(difference) ? `: ${Presence.told(difference as Presence.Difference)}` : ""
    return `is to be undone, and is not as it was${how}${shown(body)}`
  }
  if (read === "Ok") return `is to be undone: ${brief(body.result?.output ?? null)}`
  return read === "Pending" ? "is to be undone: under way" : `is to be undone: not known${because(reason)}`
}

const shown = ({ result }: Body): string =>
  (result?.output ?? null) === null ? "" : `: ${brief(result?.output ?? null)}`

const because = (reason: Json | undefined): string => (reason === undefined ? "" : `, because ${Wording.tell(reason)}`)

const basis = ({ transition: { body } }: Step): string => {
  const rests = body.data?.["via"] === "webhook" ? "webhook" : body.result?.basis
  return rests === undefined ? "" : ` (${rests})`
}

const erasedIn = ({ values }: JsonObject): string => {
  const count = Array.isArray(values) ? values.length : 0
  return count === 1 ? "1 value" : `${count} values`
}

const glass = ({ breakGlass }: JsonObject): ReadonlyArray<string> => {
  if (typeof breakGlass !== "object" || breakGlass === null) return []
  const { by = "", reason = "" } = breakGlass as JsonObject
  return [Terminal.wary(`${text(by)} broke the glass: ${text(reason)}`)]
}

const text = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, named)

/** A sealed value by the beginning of its commitment, which is enough to see what is equal. */
const named = (_: string, value: unknown): unknown =>
  SealedValue.isSealedValue(value) ? `sealed ${value.$sealed.slice(0, 8)}…` : value
