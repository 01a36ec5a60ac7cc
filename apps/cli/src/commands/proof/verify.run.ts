/** Verifies runs. */

import * as ClaimIndex from "@backstitch/runtime/ClaimIndex"
import * as DecisionReplay from "@backstitch/runtime/DecisionReplay"
import type * as HeadLog from "@backstitch/runtime/HeadLog"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as StoreFault from "@backstitch/trace/StoreFault"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as Secret from "../../program/Secret.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as HeadsLog from "./HeadsLog.ts"
import type { Input } from "./verify.ts"

/** What was kept elsewhere of the runs. */
interface Kept {
  readonly head: string | undefined
  readonly entries: ReadonlyArray<HeadLog.Entry>
}

const keptOf = ({ against, head, ...how }: Input, globals: Globals) =>
  Effect.map(
    against === undefined ? Effect.succeed([]) : HeadsLog.anchored({ against, ...how }, globals),
    (entries): Kept => ({ head, entries })
  )

const one = Effect.fnUntraced(function* (id: string, { entries, head }: Kept, globals: Globals, sound?: Set<string>) {
  const progress = Terminal.progress(`verify ${id}`)
  const run = yield* StoreSession.find(id, globals)
  const [, tick, link] = /^([1-9][0-9]*):([0-9a-f]{64})$/.exec(head ?? "") ?? []
  const named = link === undefined ? [] : [{ tick: Number(tick), head: link }]
  const anchors = [...entries.filter((entry) => entry.run === run.id), ...named]
  const kept = { head: link === undefined ? head : undefined, anchors }
  const verdict = yield* RunVerification.verify(run, { ...kept, sound, progress: progress.at }).pipe(
    Effect.ensuring(Effect.sync(progress.end))
  )
  if (!globals.json) print(verdict)
  return verdict
})

const print = (verdict: RunVerification.Verdict): void => {
  const { anchored, badTick, compared, consistent, damage, head, problem, run, ticks, unknown } = verdict
  if (!consistent) {
    Terminal.print(`${Terminal.bad("BROKEN:")} run=${run} | first bad tick=${badTick ?? "none"}`)
    Terminal.print(`        ${problem}`)
    return
  }
  const word = anchored ? "consistent, anchored" : "consistent, unanchored"
  Terminal.print(
    `${Terminal.good("VERIFIED:")} run=${run} | ${word} | transitions=${ticks} | states_compared=${compared} | head=${head}`
  )
  if (unknown.length > 0) {
    Terminal.print(
      `${Terminal.wary("UNKNOWN:")}  ${unknown.join(", ")} are declared elsewhere: nothing here checks them`
    )
  }
  for (const { problem } of damage) Terminal.print(`${Terminal.bad("DAMAGED:")} run=${run} | ${problem}`)
}

const isSound = ({ consistent, damage }: RunVerification.Verdict): boolean => consistent && damage.length === 0

const printFault = (fault: StoreFault.StoreFault): void =>
  Terminal.print(`${Terminal.bad("DAMAGED:")} ${StoreFault.describe(fault)}`)

const printClaim = ({ index, name, namespace, traces }: ClaimIndex.Difference): void => {
  Terminal.print(`${Terminal.bad("BROKEN:")} ${namespace} "${name}" is held by ${traces}, and the index says ${index}`)
  Terminal.print("        Export the runs and import them into a new store: the index is made from them")
}

/** No damage that is certain: runs that were imported bring keys and no fingerprint. */
const printUnvouched = (tenant: string, keys: number): void => {
  Terminal.print(`${Terminal.bad("LOOK:")} ${new SecretFingerprint.SecretUnknown({ tenant, keys }).message}`)
  Terminal.print("        with `backstitch secret --accept`")
}

const all = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const kept = yield* keptOf(input, globals)
    const verdicts: Array<RunVerification.Verdict> = []
    // First, because of a store of which a table is gone nothing else may be read.
    const faults = yield* RunVerification.faults
    if (!globals.json) for (const fault of faults) printFault(fault)
    const sound = new Set<string>()
    const listed = yield* Effect.result(RunVerification.runs(tenant))
    // What is wrong with the store says why its runs cannot be listed.
    if (Result.isFailure(listed) && faults.length === 0) return yield* listed.failure
    const isReadable = Result.isSuccess(listed) && faults.every(({ found }) => found !== "absent")
    for (const { run } of isReadable ? listed.success : []) verdicts.push(yield* one(run.id, kept, globals, sound))
    for (const gone of isReadable ? RunVerification.missing(kept.entries, verdicts) : []) {
      verdicts.push(gone)
      if (!globals.json) print(gone)
    }
    if (isReadable && faults.length === 0 && verdicts.length === 0) {
      return yield* StoreSession.nothing(tenant, "nothing was verified")
    }
    const isWhole = isReadable && verdicts.every((verdict) => verdict.consistent)
    // What broken traces say of names is no measure of the index.
    const claims = isWhole ? yield* ClaimIndex.differences(tenant) : []
    const unvouched = isReadable ? yield* SecretFingerprint.unvouched(tenant) : 0
    const consistent = verdicts.every(isSound) && claims.length === 0 && faults.length === 0
    if (globals.json) Terminal.document({ consistent, runs: verdicts, claims, faults, unvouched })
    else {
      for (const claim of claims) printClaim(claim)
      if (unvouched > 0) printUnvouched(tenant, unvouched)
    }
    return consistent ? 0 : 1
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const single = (id: string, input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const verdict = yield* one(id, yield* keptOf(input, globals), globals)
    if (globals.json) Terminal.document(verdict)
    return isSound(verdict) ? 0 : 1
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Strict replay proves the arithmetic; deciding again proves obedience. */
const redecided = (id: string, input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const verdict = yield* one(id, yield* keptOf(input, globals), globals)
    const run = yield* StoreSession.find(id, globals)
    const found = Secret.find(globals)
    const secret = yield* Secret.suiting(globals, run.tenant)
    const answer = verdict.consistent ? yield* DecisionReplay.redecide(run, { secret }) : undefined
    const isUnsuited = found !== undefined && secret === undefined
    const again = answer !== undefined && isUnsuited ? { ...answer, secret: "another" as const } : answer
    if (globals.json) Terminal.document({ ...verdict, redecided: again ?? null })
    else if (again !== undefined) printAgain(again, found?.place)
    return isSound(verdict) && again?.differs.length === 0 && !isUndecided(again) ? 0 : 1
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** Of what was recorded elsewhere no decision can be made again: that nothing differs says nothing. */
const isUndecided = ({ differs, obeyed, older, recorded }: DecisionReplay.Redecided): boolean =>
  recorded > 0 && obeyed + older.length + differs.length === 0

const printAgain = (again: DecisionReplay.Redecided, place: string | undefined): void => {
  const { differs, obeyed, older, recorded, run, secret, unrecorded } = again
  if (isUndecided(again)) {
    const why = "it was recorded elsewhere, and nothing of it could be decided again"
    Terminal.print(`${Terminal.bad("UNDECIDED:")} run=${run} | recorded=${recorded} | ${why}`)
    return
  }
  const since = older.length === 0 ? "" : ` | under_older_rules=${older.length}`
  const elsewhere = recorded === 0 ? "" : ` | recorded=${recorded}`
  const counts = `decided_again=${obeyed}${since}${elsewhere} | not_in_the_trace=${unrecorded}`
  if (secret === "another") {
    Terminal.print(`${Terminal.bad("LOOK:")} the secret in ${place} is not the one of the keys of run ${run}`)
    Terminal.print("      The keys were not compared. Give the secret that it ran with as BACKSTITCH_SECRET")
  }
  if (differs.length === 0) Terminal.print(`${Terminal.good("OBEYED:")}   run=${run} | ${counts}`)
  for (const { change, rules, tick } of differs.length === 0 ? older : []) {
    Terminal.print(`  tick ${tick}  decided under rules ${rules}, which this version no longer has: ${change}`)
  }
  if (differs.length === 0) return
  Terminal.print(`${Terminal.bad("DIFFERS:")} run=${run} | ${counts}`)
  for (const { committed, decided, tick } of differs) {
    Terminal.print(`  tick ${tick}  committed  ${committed}`)
    Terminal.print(`  ${" ".repeat(`tick ${tick}`.length)}  decided    ${decided}`)
  }
}

/** Verifies one run or all of them. */
export const handler: Handler<Input> = (input, globals) => {
  const { against, all: every, by, head, log, policy, quorum, redecide, run, witness } = input
  if (head !== undefined && !/^([1-9][0-9]*:)?[0-9a-f]{64}$/.test(head)) {
    const problem = `--head takes a link, 64 hex digits as \`verify\` prints them, or TICK:LINK; "${head}" is neither`
    return Effect.fail(new Usage({ problem }))
  }
  const isHow = [by, log, policy, quorum].some((each) => each !== undefined) || witness.length > 0
  const isAlone = against === undefined && isHow
  if (!isAlone && run !== undefined && !every) return (redecide ? redecided : single)(run, input, globals)
  if (!isAlone && every && run === undefined && head === undefined && !redecide) return all(input, globals)
  const problem = isAlone
    ? "--log, --by, --policy, --witness and --quorum say how to read the checkpoint of --against: name one"
    : "Name one run, with --head if you kept its link or with --redecide, or give --all alone or with --against"
  return Effect.fail(new Usage({ problem }))
}
