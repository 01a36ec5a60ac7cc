/** Plans of cases, step by step: the keys that a step reads and writes, its subtask, and the states around it. */
import type * as Domain from "./Domain.ts"

/** One call of a plan. Its `id` is unique in the plan. */
export interface Step {
  readonly id: string
  readonly tool: string
  readonly entity: string
  readonly previous?: string | undefined
  readonly does: Domain.Tool["does"]
  readonly skeleton?: string | undefined
  /** The instance that the step belongs to, as `skeleton::entity::ordinal`. */
  readonly instance?: string | undefined
  readonly from: string
  readonly to: string
  readonly reads: ReadonlyArray<string>
  readonly writes: string
}

/** The key of one part. */
export const part = (key: string, entity: string): string => `${key}[${entity}]`

/** The skeleton that a tool belongs to. */
export const skeletonOf = ({ skeletons }: Domain.Domain, tool: string): string | undefined =>
  Object.entries(skeletons).find(([, { tools }]) => tools.includes(tool))?.[0]

/** The state to which a tool leads from another one; `undefined` if the tool is not legal there. */
export const next = ({ machine }: Domain.Domain, from: string, tool: string): string | undefined =>
  machine.edges.find((edge) => edge.from === from && edge.tool === tool)?.to

/** Reads the plan of a case. Throws if the plan takes a step that the machine does not have. */
export const steps = (domain: Domain.Domain, { id, plan }: Domain.Case): ReadonlyArray<Step> => {
  const calls = plan.map((text) => {
    const [tool = "", entity = "", , previous] = text.split(" ")
    return { entity, previous, text, tool }
  })
  const parts = (key: string) => [
    ...new Set(calls.filter(({ tool }) => domain.tools[tool]?.writes === key).map(({ entity }) => part(key, entity)))
  ]
  let state = domain.machine.initial
  return calls.map(({ entity, previous, text, tool }, index) => {
    const declared = domain.tools[tool]
    const to = next(domain, state, tool)
    if (declared === undefined || to === undefined) throw new Error(`${id}: ${state} has no edge for ${text}`)
    const times = calls.slice(0, index).filter((each) => each.text === text).length
    const from = state
    state = to
    const skeleton = skeletonOf(domain, tool)
    const exits = domain.skeletons[skeleton ?? ""]?.exits ?? []
    const ordinal = calls.slice(0, index).filter((each) => each.entity === entity && exits.includes(each.tool)).length
    return {
      id: times === 0 ? text : `${text} #${times + 1}`,
      tool,
      entity,
      previous,
      does: declared.does,
      skeleton,
      instance: skeleton && `${skeleton}::${entity}::${ordinal}`,
      from,
      to,
      reads: declared.reads.flatMap(({ key, of }) => {
        if (of === "every") return parts(key)
        const named = of === "own" ? entity : previous
        return named === undefined ? [] : [part(key, named)]
      }),
      writes: part(declared.writes, entity)
    }
  })
}
