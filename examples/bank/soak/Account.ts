/** Reads the account of a run from documents of the command line. */
import type { Account, Told } from "./Judge.ts"
import * as Program from "./Program.ts"

interface Report {
  readonly actions: ReadonlyArray<{
    readonly action: string
    readonly tool: string
    readonly standing: string
    readonly say: string
  }>
  readonly held: ReadonlyArray<{ readonly action: string; readonly why: string }>
  readonly waits: ReadonlyArray<unknown>
  readonly reviews: ReadonlyArray<{ readonly action: string; readonly triggers?: ReadonlyArray<string> }>
}

interface Shown {
  readonly transitions: ReadonlyArray<{
    readonly transition_type: string
    readonly action: { readonly id: string; readonly params?: Readonly<Record<string, unknown>> } | null
    readonly key: string | null
    readonly state_after: { readonly world?: { readonly paid?: number } }
  }>
}

/** Reads the account of a run. It has nothing open if no action is held and no decision of a person is awaited. */
export const read = async (place: Program.Place, run: string): Promise<Account> => {
  const report = (await Program.read(place, ["report", run])) as Report
  const shown = (await Program.read(place, ["show", run])) as Shown
  const proof = (await Program.read(place, ["verify", run])) as {
    readonly consistent: boolean
    readonly verdict: string
  }
  const of = (id: string) => shown.transitions.filter(({ action }) => action?.id === id)
  const actions = report.actions.map(({ action, say, standing, tool }): Told => {
    const own = of(action)
    return {
      action,
      key: own.find(({ key }) => key !== null)?.key ?? undefined,
      params: own.find(({ transition_type }) => transition_type === "action.request")?.action?.params ?? {},
      run,
      say,
      standing,
      starts: own.filter(({ transition_type }) => transition_type === "action.started").length,
      tool
    }
  })
  const isReached = shown.transitions.some(({ transition_type }) => transition_type === "goal.complete")
  // Reviews do not count: the review of a refusal by the bank leaves nothing to settle.
  const open = report.held.map(({ action, why }) => `${action}: ${why}`)
  return {
    actions,
    paid: isReached ? shown.transitions.at(-1)?.state_after.world?.paid : undefined,
    run,
    settled: open.length === 0 && report.waits.length === 0,
    verdict: proof.verdict,
    verified: proof.consistent,
    waitsFor: open
  }
}
