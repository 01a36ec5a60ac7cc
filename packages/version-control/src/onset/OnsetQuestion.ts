/**
 * Questions to a trace: since which tick has a condition held?
 *
 * Anomalies, policy flips and registered predicates latch in the folded state. So any state tells whether they have
 * ever held, and the search is binary. A predicate that no pack in force registered, or an expression that is typed
 * after the run, has no latch. It is answered by one linear pass, because a binary search for a condition that may
 * recover gives a wrong tick. A divergence compares digests and reads no state.
 *
 * @source Dendrer, sections 3.3.3 and 4.3
 */
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Latch from "@backstitch/reducer/Latch"
import * as PolicyFlips from "@backstitch/reducer/PolicyFlips"
import type { State } from "@backstitch/reducer/State"
import type * as Canonical from "@backstitch/trace/Canonical"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import * as HistoryCodes from "../codes/HistoryCodes.ts"

/** A question about a trace. */
export const OnsetQuestion = Schema.TaggedUnion({
  /** The first `kernel.anomaly`, of one kind or of any. */
  Anomaly: { kind: Schema.optionalKey(Schema.String) },
  /** Policy went from allow to deny on a type (`action.request`) or on a tool (`action.request:book_flight`). */
  PolicyFlip: { subject: Schema.String },
  /** Any predicate of the pack held for the first time. */
  Contract: {},
  /** A registered predicate held for the first time. */
  Predicate: { id: Schema.String },
  /** An expression that is not registered held for the first time. */
  Expression: { source: Payload.Written },
  /** The run stopped doing what another run did. */
  Divergence: { run: Schema.String },
  /** A metric fell below its best value so far. A heuristic. */
  Regression: { metric: Schema.String }
})

/** A question about a trace. */
export type OnsetQuestion = typeof OnsetQuestion.Type

const { closed, optional } = Payload
const { Literal, String: Text } = Schema

/** A question in its committed form: `asks` names its kind. */
export const Committed = Schema.Union([
  closed({ asks: Literal("anomaly"), kind: optional(Text) }),
  closed({ asks: Literal("policy_flip"), subject: Text }),
  closed({ asks: Literal("contract") }),
  closed({ asks: Literal("predicate"), id: Text }),
  closed({ asks: Literal("expression"), source: Payload.Written }),
  closed({ asks: Literal("divergence"), run: Text }),
  closed({ asks: Literal("regression"), metric: Text })
])

const asks = {
  Anomaly: "anomaly",
  PolicyFlip: "policy_flip",
  Contract: "contract",
  Predicate: "predicate",
  Expression: "expression",
  Divergence: "divergence",
  Regression: "regression"
} as const satisfies { readonly [T in OnsetQuestion["_tag"]]: (typeof Committed.Type)["asks"] }

/** Writes a question in its committed form. */
export const toData = ({ _tag, ...asked }: OnsetQuestion): Canonical.JsonObject => ({ ...asked, asks: asks[_tag] })

/** The predicate that every run has: no anomaly so far. */
export const anomalyFree = "kernel.anomaly_free"

/** The predicate that no predicate of the pack has held so far. */
export const contractKept = "kernel.contract_kept"

/**
 * Reads the predicate that a person names: the built-in one, a registered id, or otherwise an expression.
 *
 * **Details**
 *
 * `registered` are the ids that latch in the run. A text that is none of them and not {@link anomalyFree} is an
 * expression.
 */
export const predicate = (text: string, registered: ReadonlySet<string>): OnsetQuestion =>
  text === anomalyFree
    ? { _tag: "Anomaly" }
    : text === contractKept
      ? { _tag: "Contract" }
      : registered.has(text)
        ? { _tag: "Predicate", id: text }
        : { _tag: "Expression", source: text }

/** Tells whether the folded state answers a question at any tick, so that a binary search is possible. */
export const isLatched = (
  self: OnsetQuestion
): self is Extract<OnsetQuestion, { readonly _tag: "Anomaly" | "Contract" | "PolicyFlip" | "Predicate" }> =>
  self._tag === "Anomaly" || self._tag === "Contract" || self._tag === "PolicyFlip" || self._tag === "Predicate"

/** The tick that a state has latched for a question; `undefined` if there is none. */
export const latched = (self: OnsetQuestion, state: State): number | undefined => {
  switch (self._tag) {
    case "Anomaly":
      return Anomalies.first(state, self.kind)
    case "PolicyFlip":
      return PolicyFlips.flippedAt(state, self.subject)
    case "Contract":
      return earliest(state, { isAnswered: true })
    case "Predicate":
      return Latch.of(state)[self.id]
    case "Expression":
    case "Divergence":
    case "Regression":
      return undefined
  }
}

/** Judges one probe: whether the condition has held by the tick of this state. */
export const violates = (self: OnsetQuestion, state: State, tick: number): boolean => {
  const at = latched(self, state)
  return at !== undefined && at <= tick
}

/** The tick from which a registered predicate could not be evaluated; from there on, "none" proves nothing. */
export const failedAt = (self: OnsetQuestion, state: State): number | undefined =>
  self._tag === "Predicate"
    ? Latch.of(state)[Latch.failureOf(self.id)]
    : self._tag === "Contract"
      ? earliest(state, { isAnswered: false })
      : undefined

/** The first tick at which any predicate held, or at which any could not be evaluated. */
const earliest = (state: State, { isAnswered }: Pick<Latch.LatchedPredicate, "isAnswered">): number | undefined => {
  const ticks = Object.entries(Latch.of(state)).flatMap(([id, tick]) =>
    Latch.read(id).isAnswered === isAnswered && tick !== undefined ? [tick] : []
  )
  return ticks.length === 0 ? undefined : Math.min(...ticks)
}

/** The reason why a question needs a linear pass; `undefined` if it does not. */
export const linear = (self: OnsetQuestion): FindingForm.Of<typeof HistoryCodes.passes> | undefined => {
  if (self._tag === "Expression")
    return HistoryCodes.make(isBuiltIn(self.source) ? "search.built_in" : "search.unregistered", {})
  return self._tag === "Regression" ? HistoryCodes.make("search.metric", {}) : undefined
}

/** Tells whether the source of an expression is the id of a built-in predicate, or of a crack of a topology. */
export const isBuiltIn = (source: string): boolean => /^(?:kernel|topology)\.\w+$/.test(source)

/** Tells whether an id is that of a crack of a topology, which no pack registers. */
export const isCrack = (id: string): boolean => id.startsWith("topology.")

/**
 * Finds a name in a question that a run has not seen, and the names that it has seen; `undefined` if it has seen all.
 *
 * **Details**
 *
 * For such a name, the answer "it never was so" would be misleading. `state` is that of the head.
 */
export const unseen = (self: OnsetQuestion, state: State): FindingForm.Of<typeof HistoryCodes.notes> | undefined => {
  const seen = (part: string): ReadonlyArray<string> => Object.keys((state.kernel[part] ?? {}) as object).sort()
  if (self._tag === "PolicyFlip") {
    const { subject } = self
    const subjects = seen(PolicyFlips.part.name)
    return subjects.includes(subject) ? undefined : HistoryCodes.make("search.subject_unseen", { subject, subjects })
  }
  if (self._tag !== "Anomaly" || self.kind === undefined) return undefined
  const { kind } = self
  const kinds = seen(Anomalies.part.name)
  return kinds.includes(kind) ? undefined : HistoryCodes.make("search.kind_unseen", { kind, kinds })
}
