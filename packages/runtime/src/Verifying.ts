/**
 * Says whether a run is what was committed, and names the first tick that is not.
 *
 * The chain is checked from its bytes, the run is folded again, and every
 * state digest that was committed is compared. A head that was kept elsewhere
 * anchors the answer; without one, whoever could write the store could have
 * written all of it.
 *
 * Laws: relative to such a head, any byte that was changed, dropped, reordered or inserted is detected (L3).
 *
 * @source seed 5, section 3.1
 * @since 0.1.0
 */
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as History from "./History.ts"

/**
 * What verification answers. It is JSON as it stands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Verdict {
  readonly run: string
  readonly consistent: boolean
  /** Whether the head is the one that was kept elsewhere. */
  readonly anchored: boolean
  readonly verdict: "consistent, anchored" | "consistent, unanchored" | "broken"
  /** The first tick that cannot be trusted; `null` when all can. */
  readonly badTick: number | null
  readonly problem: string | null
  readonly ticks: number
  readonly head: string
  /** State digests that were compared. */
  readonly compared: number
}

/**
 * Verifies a run, from its first tick.
 *
 * @category combinators
 * @since 0.1.0
 */
export const verify = Effect.fn("Verifying.verify")(function* (
  run: Run,
  options: {
    readonly head?: string | undefined
    readonly progress?: ((tick: number, of: number) => void) | undefined
  } = {}
) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const facts = { run: run.id, ticks: head.tick, head: head.link as string }
  const broken = (badTick: number, problem: string, compared = 0): Verdict => ({
    ...facts,
    consistent: false,
    anchored: false,
    verdict: "broken",
    badTick,
    problem,
    compared
  })
  const verified = yield* history.verify(run, { progress: options.progress }).pipe(
    Effect.catchTag("ChainBroken", (error) => Effect.succeed(error)),
    Effect.catchTag("SourceMissing", (error) => Effect.succeed(error))
  )
  if ("_tag" in verified) return broken(verified.tick, verified.message)
  const { compared, divergences } = verified
  const first = divergences[0]
  if (first !== undefined) {
    const problem =
      `Tick ${first.tick} folds to state ${first.folded.slice(0, 12)}…, and ${first.committed.slice(0, 12)}… was committed. ` +
      `The bytes are as committed, so they are folded differently here: ${yield* foldOf(run)}`
    return broken(first.tick, problem, compared)
  }
  if (options.head !== undefined) {
    const at = yield* find(run, options.head)
    if (at === undefined) {
      const problem = `No tick of the run has the link ${options.head}. It is another history than the one that head was kept of`
      return broken(head.tick, problem, compared)
    }
  }
  const anchored = options.head !== undefined
  const verdict: Verdict = {
    ...facts,
    consistent: true,
    anchored,
    verdict: anchored ? "consistent, anchored" : "consistent, unanchored",
    badTick: null,
    problem: null,
    compared
  }
  return verdict
})

/**
 * Every run of a tenant.
 *
 * @category combinators
 * @since 0.1.0
 */
export const runs = (tenant: Tenant) => Effect.flatMap(TraceStore.TraceStore, (store) => store.runs(tenant))

/** The fold that a run pins, beside the one that it was folded with. */
const foldOf = Effect.fnUntraced(function* (run: Run) {
  const { fold, transitions } = yield* History.History
  const [first] = yield* transitions(run, { to: 1 })
  const pinned = String(first?.body.data?.["fold"])
  if (pinned === fold.version) return "pack or reducer are not those of the run"
  const here = new Set(fold.version.split(" "))
  const missing = pinned.split(" ").filter((part) => !here.has(part))
  const added = [...here].filter((part) => !pinned.split(" ").includes(part))
  return `the run pins the fold ${[...missing.map((part) => `with ${part}`), ...added.map((part) => `without ${part}`)].join(", ")}`
})

/** A run may have gone on since its head was kept: a head anywhere in it anchors what came before. */
const find = Effect.fnUntraced(function* (run: Run, link: string) {
  const store = yield* TraceStore.TraceStore
  for (let from = 1; ; from += History.pageSize) {
    const page = yield* store.read(run, { from, limit: History.pageSize })
    const found = page.find((sealed) => sealed.link === link)
    if (found !== undefined || page.length < History.pageSize)
      return found === undefined ? undefined : HashChain.headOf(found)
  }
})
