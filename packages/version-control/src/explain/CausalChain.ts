/**
 * The spread of a failure after its onset: the transitions between the tick where it began and the one where it was
 * noticed.
 *
 * The onset is exact. The chain is a heuristic and says so on every link: it follows types that report trouble,
 * actions that a linked step opened, and fields that a linked step wrote and a later step names or writes. It may
 * name a step that would have happened anyway, and it proves no cause. Another search finds which steps would have
 * prevented the failure, by removing steps and folding again.
 *
 * @source Dendrer, sections 3.3.3 (two outputs), 4.3 and 4.7
 */
import type * as FindingForm from "@backstitch/trace/FindingForm"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Transition } from "@backstitch/trace/Transition"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Changes from "../compare/Changes.ts"
import * as Step from "../compare/Step.ts"
import * as Limits from "../Limits.ts"
import * as HistoryCodes from "../model/HistoryCodes.ts"

/** The reason that links a transition to a chain. */
export type Tie = FindingForm.Of<typeof HistoryCodes.ties>

/** One transition of a chain. */
export interface Link {
  readonly tick: number
  readonly type: Ontology.Name
  /** An antecedent requested the onset, or last wrote a value on which it depends; a consequence came after it. */
  readonly relation: "antecedent" | "onset" | "consequence"
  /** The reason that links it to the chain; absent for the onset. */
  readonly why?: Tie
  readonly effects: ReadonlyArray<Step.Effect>
  readonly heuristic: true
}

/** A chain under construction. */
export interface CausalChain {
  readonly onset: number
  readonly limit: number
  /** Fields that the question reads, such as `working.risk_score`; `undefined` when unknown. */
  readonly reads: ReadonlyArray<string> | undefined
  readonly antecedent: { readonly step: Step.Step; readonly fields: ReadonlyArray<string> } | undefined
  /** Requests before the onset, by action. The request that the onset answers belongs to the chain. */
  readonly requests: HashMap.HashMap<string, Step.Step>
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
  antecedent: undefined,
  requests: HashMap.empty(),
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
    const written = self.reads === undefined ? fields : fields.filter((field) => self.reads!.includes(field))
    const antecedent = written.length === 0 ? self.antecedent : { step: at, fields: written }
    const isRequest = body.type === "action.request" && body.action !== undefined
    return antecedent === self.antecedent && !isRequest
      ? self
      : { ...self, antecedent, requests: isRequest ? HashMap.set(self.requests, body.action.id, at) : self.requests }
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

/**
 * An onset that wrote nothing itself, such as a decision, is linked to the last step that wrote a value on which it
 * depends.
 */
const begin = (self: CausalChain, at: Step.Step, fields: ReadonlyArray<string>): CausalChain => {
  const { body } = at.transition
  const own = self.reads === undefined ? fields : fields.filter((field) => self.reads!.includes(field))
  const earlier = own.length === 0 ? self.antecedent : undefined
  const asked = body.action === undefined ? Option.none() : HashMap.get(self.requests, body.action.id)
  const request = Option.isSome(asked) && asked.value !== earlier?.step ? asked.value : undefined
  const before = [
    ...(earlier === undefined
      ? []
      : [link(earlier.step, "antecedent", HistoryCodes.make("link.wrote", { fields: earlier.fields }))]),
    ...(request === undefined
      ? []
      : [link(request, "antecedent", HistoryCodes.make("link.asked", { action: body.action!.id }))])
  ]
  return {
    ...self,
    antecedent: undefined,
    requests: HashMap.empty(),
    fields: new Set(own.length > 0 ? fields : (earlier?.fields ?? self.reads ?? [])),
    actions: new Set(body.action === undefined ? [] : [body.action.id]),
    links: [...before.sort((left, right) => left.tick - right.tick), link(at, "onset")]
  }
}

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
const trouble: ReadonlySet<Ontology.Name> = new Set<Ontology.Name>([
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
