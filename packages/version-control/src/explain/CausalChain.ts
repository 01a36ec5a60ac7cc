/**
 * The spread of a failure after its onset: the transitions between the tick where it began and the one where it was
 * noticed.
 *
 * The onset is exact. The chain is a heuristic and says so on every link. Backwards it leads to the request that the
 * onset answers, and to the last writer of each field that the question reads, unless the onset wrote the field.
 * Forwards it follows types that report trouble, actions that a linked step opened, and fields that a linked step
 * wrote and a later step names or writes. It may name a step that would have happened anyway, and it proves no cause.
 * `Contributors` finds the steps without which the failure would not occur, by removing steps and folding again.
 *
 * @source Dendrer, sections 3.3.3 (two outputs), 4.3 and 4.7
 */
import type * as FindingForm from "@backstitch/trace/FindingForm"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Transition } from "@backstitch/trace/Transition"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as HistoryCodes from "../codes/HistoryCodes.ts"
import * as Changes from "../compare/Changes.ts"
import * as Step from "../compare/Step.ts"
import * as Limits from "../Limits.ts"

/** The reason that links a transition to a chain. */
export type Tie = FindingForm.Of<typeof HistoryCodes.ties>

/** One transition of a chain. */
export interface Link {
  readonly tick: number
  readonly type: Ontology.TypeName
  /** An antecedent requested the onset, or last wrote a value on which it depends; a consequence came after it. */
  readonly relation: "antecedent" | "onset" | "consequence"
  /** The reason that links it to the chain; absent for the onset. */
  readonly why?: Tie
  readonly effects: ReadonlyArray<Step.StepEffect>
  readonly heuristic: true
}

/** A field on which an onset depends, and the step that wrote it; no step if that is further back. */
export interface FieldWriter {
  readonly field: string
  readonly step: Step.Step | undefined
}

/** A chain under construction. */
export interface CausalChain {
  readonly onset: number
  readonly limit: number
  /** Fields that the question reads, such as `working.risk_score`; `undefined` when unknown. */
  readonly reads: ReadonlyArray<string> | undefined
  /** The last writer before the onset of each read field; if the reads are unknown, the last one of any field. */
  readonly writers: ReadonlyMap<string, Step.Step>
  /** The first tick that the chain was given. */
  readonly since: number | undefined
  /** Requests before the onset, by action. The request that the onset answers belongs to the chain. */
  readonly requests: HashMap.HashMap<string, Step.Step>
  /** Fields that the question reads and the onset found as they were, with their last writers. */
  readonly inherited: ReadonlyArray<FieldWriter>
  /** Fields that linked steps wrote, and actions that they opened. */
  readonly fields: ReadonlySet<string>
  readonly actions: ReadonlySet<string>
  readonly links: ReadonlyArray<Link>
  /** The number of links beyond the limit. */
  readonly omitted: number
}

/** Begins a chain at a known onset. */
export const start = (options: {
  readonly onset: number
  readonly reads?: ReadonlyArray<string> | undefined
  readonly limit?: number | undefined
}): CausalChain => ({
  onset: options.onset,
  limit: options.limit ?? Limits.pacing.causalStepsMax,
  reads: options.reads,
  writers: new Map(),
  since: undefined,
  requests: HashMap.empty(),
  inherited: [],
  fields: new Set(),
  actions: new Set(),
  links: [],
  omitted: 0
})

/** Adds the next step of the trace. Steps come in order; those before the onset are optional. */
export const step = (self: CausalChain, at: Step.Step): CausalChain => {
  const { body, tick } = at.transition
  const fields = Changes.fields(at.before, at.after)
  if (tick < self.onset) {
    const writers = writtenBy(self, at, fields)
    const isRequest = body.type === "action.request" && body.action !== undefined
    const requests = isRequest ? HashMap.set(self.requests, body.action.id, at) : self.requests
    if (writers === self.writers && requests === self.requests && self.since !== undefined) return self
    return { ...self, requests, since: self.since ?? tick, writers }
  }
  if (tick === self.onset) return begin(self, at, fields)
  const why = tie(self, at.transition, fields)
  if (why === undefined) return self
  if (self.links.length >= self.limit) return { ...self, omitted: self.omitted + 1 }
  return {
    ...self,
    fields: self.fields.union(new Set(fields)),
    actions: body.action === undefined ? self.actions : self.actions.union(new Set([body.action.id])),
    links: [...self.links, link(at, "consequence", why)]
  }
}

/** Builds the chain from the given steps. */
export const make = (steps: Iterable<Step.Step>, options: Parameters<typeof start>[0]): CausalChain => {
  let chain = start(options)
  for (const at of steps) chain = step(chain, at)
  return chain
}

/** The values with which a run begins are those of its pack: no step wrote them. */
const writtenBy = (self: CausalChain, at: Step.Step, fields: ReadonlyArray<string>): CausalChain["writers"] => {
  if (at.transition.body.type === "run.started") return self.writers
  const { reads } = self
  const written = reads === undefined ? fields : fields.filter((field) => reads.includes(field))
  if (written.length === 0) return self.writers
  const known = reads === undefined ? [] : self.writers
  return new Map([...known, ...written.map((field) => [field, at] as const)])
}

/** Links an onset to the last writer of each field on which it depends, and which it did not write itself. */
const begin = (self: CausalChain, at: Step.Step, fields: ReadonlyArray<string>): CausalChain => {
  const { body } = at.transition
  const own = self.reads === undefined ? fields : fields.filter((field) => self.reads!.includes(field))
  const inherited = inheritedBy(self, at, own)
  const fieldsOf = new Map<Step.Step, Array<string>>()
  for (const { field, step } of inherited) {
    const others = step && fieldsOf.get(step)
    if (others !== undefined) others.push(field)
    else if (step !== undefined) fieldsOf.set(step, [field])
  }
  const asked = body.action === undefined ? Option.none() : HashMap.get(self.requests, body.action.id)
  if (Option.isSome(asked) && !fieldsOf.has(asked.value)) fieldsOf.set(asked.value, [])
  const before = [...fieldsOf].map(([step, fields]) =>
    link(
      step,
      "antecedent",
      fields.length === 0
        ? HistoryCodes.make("link.asked", { action: body.action!.id })
        : HistoryCodes.make("link.wrote", { fields })
    )
  )
  const written = inherited.map(({ field }) => field)
  return {
    ...self,
    writers: new Map(),
    requests: HashMap.empty(),
    inherited: self.reads === undefined ? [] : inherited,
    fields: new Set(own.length > 0 ? fields : written.length > 0 ? written : (self.reads ?? [])),
    actions: new Set(body.action === undefined ? [] : [body.action.id]),
    links: [...before.sort((left, right) => left.tick - right.tick), link(at, "onset")]
  }
}

/**
 * The fields that an onset found as they were. With unknown reads these are the last that were written, if the onset
 * wrote none. A field that has a value whose writer the chain was not given was written further back.
 */
const inheritedBy = (self: CausalChain, at: Step.Step, own: ReadonlyArray<string>): ReadonlyArray<FieldWriter> => {
  const { reads, since = at.transition.tick, writers } = self
  if (reads === undefined) return own.length > 0 ? [] : [...writers].map(([field, step]) => ({ field, step }))
  return reads
    .filter((field) => !own.includes(field))
    .map((field) => ({ field, step: writers.get(field) }))
    .filter(({ field, step }) => step !== undefined || (since > 1 && hasValue(at, field)))
}

/** Tells whether a field has a value. Its name may contain dots, so it is not read as a path. */
const hasValue = ({ before }: Step.Step, field: string): boolean =>
  (["world", "working"] as const).some(
    (section) => field.startsWith(`${section}.`) && Object.hasOwn(before[section], field.slice(section.length + 1))
  )

/** Finds the first reason that links a step to the chain; `undefined` if there is none. */
const tie = (self: CausalChain, { body }: Transition, fields: ReadonlyArray<string>): Tie | undefined => {
  if (trouble.has(body.type)) return HistoryCodes.make("link.trouble", {})
  const decision = body.policy?.decision ?? "allow"
  if (decision !== "allow") return HistoryCodes.make("link.decided", { decision })
  const status = body.result?.status ?? "ok"
  if (status !== "ok") return HistoryCodes.make("link.result", { status })
  if (body.action !== undefined && self.actions.has(body.action.id)) {
    return HistoryCodes.make("link.continues", { action: body.action.id })
  }
  const named = (body.intent?.dependsOn ?? []).find((name) => touches(self.fields, name))
  if (named !== undefined) return HistoryCodes.make("link.depends", { field: named })
  const written = fields.find((field) => self.fields.has(field))
  return written === undefined ? undefined : HistoryCodes.make("link.writes", { field: written })
}

/** Types that report trouble by themselves. */
const trouble: ReadonlySet<Ontology.TypeName> = new Set<Ontology.TypeName>([
  "anomaly.flag",
  "budget.exhausted",
  "failure.observed",
  "intent.refused",
  "kernel.anomaly",
  "predicate.violation",
  "recovery.decided",
  "recovery.restored",
  "topology.crack"
])

/** Intents name fields in full or without their section. */
const touches = (fields: ReadonlySet<string>, name: string): boolean =>
  fields.has(name) || fields.has(`working.${name}`) || fields.has(`world.${name}`)

const link = (at: Step.Step, relation: Link["relation"], why?: Tie): Link => ({
  tick: at.transition.tick,
  type: at.transition.body.type,
  relation,
  ...(why === undefined ? {} : { why }),
  effects: Step.effects(at),
  heuristic: true
})
