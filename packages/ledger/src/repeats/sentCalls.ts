/**
 * Calls of a trace that may have changed the world, each with the names under which the same act is found again.
 *
 * A call counts once it was sent: in a run that starts its calls, one that was never started is none.
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as ActIdentity from "../keys/ActIdentity.ts"
import * as Likeness from "./likeness.ts"
import { type LostAnswer, lostOf } from "./lostAnswer.ts"

/** A call with the names under which it is found again; `after` is absent if its end is known. */
export interface SentCall {
  readonly action: string
  readonly tick: number
  readonly tool: string
  readonly after: LostAnswer | "silence" | undefined
  readonly exact: string
  readonly identity: { readonly text: string; readonly fields: ReadonlyArray<string> } | undefined
  readonly likeness: Likeness.Likeness | undefined
  readonly params: Canonical.Json
}

/** Lists the calls of a trace, in order. */
export const within = (
  transitions: ReadonlyArray<Transition>,
  contractOf: (tool: string) => ToolContract.ToolContract
): ReadonlyArray<SentCall> => {
  const ends = endsOf(transitions)
  const started = new Set(
    transitions.flatMap(({ body }) => (body.type === "action.started" && body.action ? [body.action.id] : []))
  )
  return transitions.flatMap(({ body, tick }) => {
    const { action, intent, type } = body
    if (type !== "action.request" || action?.tool === undefined || action.undoes !== undefined) return []
    // In a run that starts its calls, one that was never started has not been sent. One more of an act may be wanted.
    if (started.size > 0 && !started.has(action.id)) return []
    if ((intent?.occurrence ?? 1) > 1) return []
    const contract = contractOf(action.tool)
    return ToolContract.isMutating(contract)
      ? [callOf(contract, { id: action.id, params: action.params ?? null, tick, tool: action.tool }, ends)]
      : []
  })
}

const callOf = (
  contract: ToolContract.ToolContract,
  {
    id,
    params,
    tick,
    tool
  }: { readonly id: string; readonly params: Canonical.Json; readonly tick: number; readonly tool: string },
  ends: ReadonlyMap<string, LostAnswer | "known" | "silence">
): SentCall => {
  const end = ends.get(id) ?? "silence"
  const fields = contract.identity?.fields.map(({ field }) => field)
  return {
    action: id,
    tick,
    tool,
    after: end === "known" ? undefined : end,
    exact: `${tool} ${Canonical.encode(params)}`,
    identity: fields && { fields, text: `${tool} ${JSON.stringify(ActIdentity.keys(contract, params))}` },
    likeness: fields === undefined ? Likeness.of(params) : undefined,
    params
  }
}

/** The end of each action that has one: its answer, or the settlement that took the place of an answer. */
const endsOf = (transitions: ReadonlyArray<Transition>): ReadonlyMap<string, LostAnswer | "known" | "silence"> => {
  const ends = new Map<string, LostAnswer | "known" | "silence">()
  for (const { body } of transitions) {
    const { action, result, type } = body
    if (action === undefined) continue
    if (type === "action.result" && result !== undefined) ends.set(action.id, lostOf(result) ?? "known")
    if (type === "action.reconciled" || type === "intent.dropped") ends.set(action.id, "known")
  }
  return ends
}
