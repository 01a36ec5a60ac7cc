/**
 * Repeated acts of one run, or of two that are compared, each with its sentence: the call was made again although the
 * outcome of the first one was unknown.
 *
 * `Repeats` of `@backstitch/ledger` finds them. An agent that is started again after a crash is often recorded as
 * another run, so the calls of two runs are compared, too.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Repeats from "@backstitch/ledger/Repeats"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Descent from "@backstitch/version-control/Descent"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"

/** A repeated act, as plain JSON: both calls with their runs, and the sentence. */
export interface RepeatedAct extends Omit<Repeats.Repeat, "of"> {
  readonly run: string
  readonly of: Repeats.Repeat["of"] & { readonly run: string }
  readonly say: string
}

/** Lists the repeated acts of a run, from its transitions. */
export const within = (at: Standpoint, transitions: Iterable<Transition>): ReadonlyArray<RepeatedAct> =>
  Repeats.of(transitions, contractsOf(at)).map((repeat) => ({
    ...repeat,
    run: at.run.id,
    of: { ...repeat.of, run: at.run.id },
    say: sentence(repeat, at.words)
  }))

/** The sentence of a repeat. With names of runs, it names them at both places. */
export const sentence = (repeat: Repeats.Repeat, words: Words, runs?: Runs | undefined): string =>
  words.reports.repeat.of({
    ...repeat,
    first: { tick: repeat.of.tick, run: runs?.first },
    again: { tick: repeat.tick, run: runs?.again }
  })

type Standpoint = Pick<OpenActionStatus.Standpoint, "pack" | "run" | "words">

interface Runs {
  readonly first: string
  readonly again: string
}

/** The ticks at which two compared runs are taken to end, if not at their heads. */
export interface Ends {
  readonly left?: number | undefined
  readonly right?: number | undefined
}

/**
 * Lists the repeated acts of two runs: those within each, and the calls of the later run that repeat a call of the
 * other whose outcome is unknown. The later run is the one whose own part begins later; if both begin at one time, it
 * is the right one.
 *
 * **Details**
 *
 * Only runs of one family share calls. Two others may begin with equal transitions, such as those of an agent that was
 * killed and of the one that took its place: their calls are different calls.
 */
export const among = Effect.fn("RepeatedActs.among")(function* (left: Run, right: Run, ends: Ends = {}) {
  const history = yield* History.History
  const side = Effect.fnUntraced(function* (run: Run, end: number | undefined) {
    const at = yield* OpenActionStatus.head(run)
    const transitions = yield* history.transitions(run, { to: Math.min(at.tick, end ?? at.tick) })
    const found = Repeats.of(transitions, contractsOf(at))
    return { at, found, transitions }
  })
  const shared = Descent.shared(yield* history.lineage(left), yield* history.lineage(right))
  const [one, other] = [yield* side(left, ends.left), yield* side(right, ends.right)]
  const own = ({ transitions }: typeof one) => transitions.slice(shared)
  const [earlier, later] = beginOf(own(other)) < beginOf(own(one)) ? [other, one] : [one, other]
  return [
    ...one.found.map((repeat) => named(repeat, one.at, one.at)),
    // A repeat that both runs share is told once.
    ...other.found.flatMap((repeat) => (repeat.tick > shared ? [named(repeat, other.at, other.at)] : [])),
    ...Repeats.between(own(earlier), own(later), contractsOf(later.at)).map((repeat) =>
      named(repeat, earlier.at, later.at)
    )
  ]
})

const beginOf = (transitions: ReadonlyArray<Transition>): number => transitions[0]?.stamp.asOf ?? 0

const named = (repeat: Repeats.Repeat, before: Standpoint, { run, words }: Standpoint): RepeatedAct => ({
  ...repeat,
  run: run.id,
  of: { ...repeat.of, run: before.run.id },
  say: sentence(repeat, words, { first: before.run.id, again: run.id })
})

const contractsOf =
  ({ pack }: Pick<Standpoint, "pack">): Repeats.ContractOf =>
  (tool) =>
    TaskPack.tool(pack, tool)
