/**
 * The demo, act by act. Each claim is checked against the world's own database or against the JSON that the
 * command line prints; a claim that does not hold ends the demo.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Stage from "./Stage.ts"

/** Error for a claim that does not hold. */
export class ClaimBroken extends Error {
  constructor(claim: string, found: unknown) {
    super(`The demo claims that ${claim}. Found: ${JSON.stringify(found)}`)
    this.name = "ClaimBroken"
  }
}

/** A transition as `show --json` prints it. */
interface Record {
  readonly tick: number
  readonly transition_type: string
  readonly action: { readonly id: string; readonly tool: string | null; readonly params: Params | null } | null
  readonly result: { readonly status: string; readonly basis?: string; readonly output?: Params } | null
  readonly data: Params | null
  readonly intent: { readonly confidence: number | null } | null
  readonly key: string | null
  readonly effect: string
}
type Params = { readonly [name: string]: unknown }

interface Shown {
  readonly transitions: ReadonlyArray<Record>
}
interface Receipt {
  readonly status: string
  readonly transitions: number
  readonly head: string
  readonly verified: boolean
}

/** A transition as the receipt tells it. */
export interface Line {
  readonly tick: number
  readonly type: string
  readonly tool: string
  readonly note: string
}

/** The result of the first act: a kill inside the fourth step, and a resume. */
export interface Crash {
  readonly run: string
  readonly pid: number
  readonly lines: ReadonlyArray<Line>
  readonly killedAfterTick: number
  readonly pnr: string
  readonly key: string
  readonly total: number
  readonly transitions: number
  readonly head: string
  readonly world: {
    readonly bookings: number
    readonly stays: number
    readonly charges: number
    readonly messages: number
  }
  readonly sent: number
  readonly asked: number
}

/** The answer of `verify`. */
export interface Verified {
  readonly ticks: number
  readonly compared: number
  readonly verdict: string
}

/** The answer of `bisect` on the second run. */
export interface Bisected {
  readonly run: string
  readonly predicate: string
  readonly onset: number
  readonly length: number
  readonly evaluations: number
  readonly hotel: string
  readonly offered: ReadonlyArray<string>
}

/** The result of a fork from before the violation, and the tick at which the two runs part. */
export interface Forked {
  readonly run: string
  readonly from: number
  readonly transitions: number
  readonly total: number
  readonly hotel: string
  readonly shared: number
}

/**
 * Lets an agent work, kills its process after the airline has booked and before the agent has the answer, and
 * resumes.
 */
export const crash = async (stage: Stage.Stage, run = "trip-42"): Promise<Crash> => {
  const { cli } = stage
  await stage.arm({ tool: "book_flight", kind: "timeout_after_commit" })
  const running = cli.start(["run", run, "--agent", Stage.agent])
  const over = { is: false }
  void running.ended.then(() => {
    over.is = true
  })
  while ((await stage.count("bookings")) === 0 && !over.is) await sleep(20)
  running.kill()
  const ended = await running.ended
  claim("the process died of SIGKILL", ended.signal === "SIGKILL", ended)

  const before = await show(stage, run)
  const last = before.at(-1)
  const atKill = await stage.truth()
  const [booking] = atKill.bookings
  const pnr = String(booking?.["pnr"])
  claim("the airline had booked when the agent died", atKill.bookings.length === 1, atKill.bookings)
  claim("the agent had made its intent durable, and no answer", last?.transition_type === "action.started", last)
  const known = atKill.keys.find(({ id }) => id === pnr)
  claim("the airline knows the booking by the key that is durable", known?.["key"] === last?.key, { known, last })
  const key = String(last?.key)

  const resumed = await cli.json<Receipt>(["resume", run, "--agent", Stage.agent])
  claim("resume finishes the run", resumed.code === 0 && resumed.document.status === "done", resumed)
  const after = await show(stage, run)
  const truth = await stage.truth()
  const counts = {
    bookings: truth.bookings.length,
    stays: truth.stays.length,
    charges: truth.charges.length,
    messages: truth.messages.length
  }
  claim(
    "each thing was done once",
    Object.values(counts).every((count) => count === 1),
    counts
  )
  const total = Number(truth.bookings[0]?.["price"]) + Number(truth.stays[0]?.["price"])
  claim("the card was charged for what was booked", truth.charges[0]?.["amount"] === total, truth.charges)
  claim(
    "nothing that was committed is lost",
    JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before),
    {
      before: before.length,
      after: after.length
    }
  )
  const about = truth.requests.filter((request) => request["key"] === key)
  const sent = about.filter(({ tool }) => tool === "book_flight").length
  const asked = about.filter(({ tool }) => tool === "status").length
  claim("the booking was sent once and asked about under the same key", sent === 1 && asked > 0, about)
  return {
    run,
    pid: running.pid,
    lines: linesOf(after),
    killedAfterTick: before.length,
    pnr,
    key,
    total,
    transitions: after.length,
    head: resumed.document.head,
    world: counts,
    sent,
    asked
  }
}

/** Proves the chain of a run against the head that `resume` printed, and proves that a changed copy is detected. */
export const verify = async (stage: Stage.Stage, { head, run }: Crash) => {
  const tick = 10
  const copy = stage.copy((database) => {
    const change = database.prepare(
      `UPDATE "transition" SET body = replace(body, '"price":18400', '"price":8400')
       WHERE id = (SELECT id FROM run WHERE name = ?) * 16777216 + ?`
    )
    change.run(run, tick)
  })
  const [whole, broken] = await Promise.all([
    stage.cli.json<Verdict>(["verify", run, "--head", head]),
    stage.cli.json<Verdict>(["verify", run, "--store", copy])
  ])
  const { document } = whole
  claim("the chain holds up to the head that was kept", whole.code === 0 && document.anchored, document)
  claim("one changed price is found out", broken.code === 1 && broken.document.badTick === tick, broken)
  const verified: Verified = { compared: document.compared, ticks: document.ticks, verdict: document.verdict }
  return { verified, tampered: { tick } }
}

interface Verdict extends Verified {
  readonly anchored: boolean
  readonly badTick: number | null
}

/** Runs an agent that breaks a rule, and finds the tick at which the rule is broken. */
export const bisect = async (stage: Stage.Stage, run = "trip-43"): Promise<Bisected> => {
  const predicate = "unverified_source"
  const broke = await stage.cli.json<Receipt>(["run", run, "--agent", Stage.violatingAgent])
  claim("the run that breaks a rule does not end well", broke.code === 1 && broke.document.status === "refused", broke)
  const { code, document } = await stage.cli.json<{
    readonly onset: number | null
    readonly evaluations: number
    readonly length: number
    readonly transition: { readonly type: string; readonly data: Params } | null
  }>(["bisect", run, "--predicate", predicate])
  const { evaluations, length, onset, transition } = document
  const shown = await show(stage, run)
  const hotels = shown.find(({ result }) => result?.output?.["hotels"] !== undefined)?.result?.output?.["hotels"]
  const offered = (hotels as ReadonlyArray<{ readonly hotel: string }>).map(({ hotel }) => hotel)
  const plans = shown.filter((each) => each.transition_type === "plan.update" && !offered.includes(hotelOf(each)))
  claim("bisect finds a tick", code === 0 && onset !== null, document)
  claim("it is the first plan with a hotel that no search returned", plans[0]?.tick === onset, plans)
  claim("the probes stay within ⌈log2(N+1)⌉", evaluations <= Math.ceil(Math.log2(length + 1)), document)
  const truth = await stage.truth()
  const wrong = truth.stays.filter(({ hotel }) => !offered.includes(String(hotel)))
  claim("the rule kept the wrong hotel from being booked", wrong.length === 0, truth.stays)
  return {
    run,
    predicate,
    onset: onset ?? 0,
    length,
    evaluations,
    hotel: String(transition?.data["hotel"]),
    offered
  }
}

/** Forks a run from before a tick, lets an agent without the fault continue, and compares the two runs. */
export const fork = async (stage: Stage.Stage, { onset, run }: Bisected, as = "trip-44"): Promise<Forked> => {
  const from = onset - 1
  const reason = `before the plan of tick ${onset}`
  const before = await stage.truth()
  const forked = await stage.cli.json<Receipt>([
    ...["fork", run, "--from", String(from), "--as", as, "--reason", reason],
    ...["--agent", Stage.agent]
  ])
  claim("the fork ends well", forked.code === 0 && forked.document.status === "done", forked)
  const truth = await stage.truth()
  const stays = truth.stays.slice(before.stays.length)
  const charges = truth.charges.slice(before.charges.length)
  claim("it books no second flight", truth.bookings.length === before.bookings.length, truth.bookings)
  claim("it books one room and charges once", stays.length === 1 && charges.length === 1, { stays, charges })
  const total = Number(truth.bookings.at(-1)?.["price"]) + Number(stays[0]?.["price"])
  claim("the card was charged for what was booked", charges[0]?.["amount"] === total, charges)
  const { document: diff } = await stage.cli.json<{
    readonly shared: number
    readonly differences: ReadonlyArray<{ readonly left?: { readonly tick: number } }>
  }>(["diff", run, as])
  const first = diff.differences.find(({ left }) => left !== undefined)?.left?.tick
  claim("the two part at the onset", diff.shared === from && first === onset, { ...diff, differences: first })
  return {
    run: as,
    from,
    transitions: forked.document.transitions,
    total,
    hotel: String(stays[0]?.["hotel"]),
    shared: diff.shared
  }
}

const claim = (text: string, holds: boolean, found: unknown): void => {
  if (!holds) throw new ClaimBroken(text, found)
}

const fields = "tick,transition_type,intent,action,result,data,key,effect"

const show = async ({ cli }: Stage.Stage, run: string): Promise<ReadonlyArray<Record>> => {
  const { code, document } = await cli.json<Shown>(["show", run, "--fields", fields])
  claim(`run ${run} can be shown`, code === 0, document)
  return document.transitions
}

const hotelOf = ({ data }: Record): string => String(data?.["hotel"])

const linesOf = (records: ReadonlyArray<Record>): ReadonlyArray<Line> =>
  records.map((record) => ({
    tick: record.tick,
    type: record.transition_type,
    tool: record.action?.tool ?? "",
    note: noteOf(record)
  }))

const noteOf = ({ data, effect, intent, key, result, transition_type: type }: Record): string => {
  switch (type) {
    case "run.started":
      return "contract, fold and initial state are pinned"
    case "plan.update":
      return `${String(data?.["flight"])} and "${String(data?.["hotel"])}": ${String(data?.["why"])}`
    case "action.request":
      return typeof intent?.confidence === "number" ? `confidence=${intent.confidence}` : ""
    case "action.started":
      return `key=${key?.slice(0, 11)}… is durable`
    case "action.result":
      return result?.basis === "status" ? "asked under the same key: it is done" : `answered${offersOf(result?.output)}`
    case "action.verified":
      return `the system of record says "${String(result?.output?.["status"])}"`
    case "action.reconciled":
      return /world\.(?:spent|charged) \d+ → \d+/.exec(effect)?.[0] ?? "settled by readback"
    case "message.sent": {
      const reports = data?.["reports"]
      return `the agent may tell ${Array.isArray(reports) ? reports.length : 0} acts as done: each is verified`
    }
    default:
      return effect
  }
}

const offersOf = (output: Params | undefined): string => {
  const [[name, offers] = []] = Object.entries(output ?? {}).filter(([, value]) => Array.isArray(value))
  return Array.isArray(offers) ? `: ${offers.length} ${name}` : ""
}
