/**
 * The specification in force once the user has revised the goal: clauses set, added, withdrawn and put in order.
 *
 * A revision changes the clauses of one run, not the pack. A clause that the user adds is an expression over the
 * state that the pack declares, and is checked like the clauses of the pack. A withdrawn clause no longer judges the
 * goal; the rules of the pack that read its value still read it.
 *
 * **Details**
 *
 * | change | the clause |
 * | --- | --- |
 * | `set` | has another value. If it was withdrawn, it is in force again |
 * | `add` | is in force from here on, under a name that is not in force |
 * | `withdraw` | is no longer in force |
 * | `prioritise` | comes in this order; clauses that are not named come after those, by name |
 *
 * @source Revisable by Design, section 4.2
 */
import type * as Field from "@backstitch/expressions/Field"
import * as NearestName from "@backstitch/expressions/NearestName"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import { DefinitionReader, Node, type Path } from "../grammar/definitionReader.ts"
import type { Issue } from "../grammar/Issue.ts"
import type { Contents } from "../grammar/pack/packGrammar.ts"
import { type DeclaredNames, readExpression, stateNames } from "../grammar/scope.ts"
import * as RevisionPolicy from "../rules/RevisionPolicy.ts"
import * as Specification from "../rules/Specification.ts"
import type * as Condition from "../state/Condition.ts"
import * as ClauseValues from "./ClauseValues.ts"

/** The kinds of revisions. */
export const kinds = ["additive", "restrictive", "substitutive", "cancellation", "priority_shift"] as const

/** The kind of a revision. */
export type RevisionKind = (typeof kinds)[number]

/** One change of a revision. The condition of an added clause is an expression. */
export type RevisionChange =
  | {
      readonly change: "add"
      readonly clause: string
      readonly holds: string
      readonly value?: Canonical.Json | undefined
      readonly description?: string | undefined
    }
  | { readonly change: "prioritise"; readonly clauses: ReadonlyArray<string> }
  | { readonly change: "set"; readonly clause: string; readonly value: Canonical.Json }
  | { readonly change: "withdraw"; readonly clause: string }

/** A clause that a revision has added. */
export interface Added {
  readonly holds: string
  readonly description?: string | undefined
}

/** The clauses of a goal as revisions have left them: values, added and withdrawn clauses, and their order. */
export interface RevisedClauses {
  readonly clauses: Canonical.JsonObject
  readonly added?: { readonly [clause: string]: Added } | undefined
  readonly withdrawn?: ReadonlyArray<string> | undefined
  readonly priority?: ReadonlyArray<string> | undefined
}

/** The parts of a pack that say which clauses a goal may have. */
type Pack = Pick<Contents, "fields" | "revisions" | "specification"> & { readonly engine: string }

/** A mistake in a revision, with the place of the change in its list. */
export type Mistake = { readonly index: number } & (
  | { readonly _tag: "Unknown"; readonly clause: string; readonly near?: string }
  | { readonly _tag: "Exists"; readonly clause: string }
  | { readonly _tag: "Repeated"; readonly clause: string }
  | { readonly _tag: "Unfit"; readonly clause: string; readonly unfit: ClauseValues.UnfitValue }
  | { readonly _tag: "Invalid"; readonly clause: string; readonly issues: ReadonlyArray<Issue> }
)

/** The verdict on a revision: its mistakes, or that it changes nothing. */
export type RevisionValidity =
  | { readonly _tag: "Fit" }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Mistaken"; readonly mistakes: readonly [Mistake, ...ReadonlyArray<Mistake>] }

/** The clauses in force, by name. The verdict on an added clause that the pack cannot read is always unknown. */
export const inForce = (pack: Pack, goal: RevisedClauses): Specification.Specification => {
  const known = compiled.get(pack)?.get(goal)
  if (known !== undefined) return known
  const specification = Object.fromEntries(
    Object.entries(all(pack, goal))
      .filter(([name]) => isInForce(goal, name))
      .sort(([left], [right]) => (left < right ? -1 : 1))
  )
  const ofPack = compiled.get(pack) ?? new WeakMap<RevisedClauses, Specification.Specification>()
  compiled.set(pack, ofPack.set(goal, specification))
  return specification
}

/** The values of all clauses as their types write them, those of withdrawn clauses too. */
export const values = (pack: Pack, goal: RevisedClauses): Canonical.JsonObject =>
  Specification.values(all(pack, goal), goal.clauses)

/** The names of the clauses in force, the most important one first. Clauses without a priority come last, by name. */
export const order = (pack: Pack, goal: RevisedClauses): ReadonlyArray<string> => {
  const names = Object.keys(inForce(pack, goal))
  const ranked = goal.priority ?? (pack.revisions ?? RevisionPolicy.standard).priority
  const first = ranked.filter((name) => names.includes(name))
  return [...first, ...names.filter((name) => !first.includes(name))]
}

/** Changes a goal by a revision, in the order of its changes. The other fields of the goal stay. */
export const revise = <G extends RevisedClauses>(goal: G, changes: ReadonlyArray<RevisionChange>): G =>
  changes.reduce<G>(changed, goal)

/**
 * Lists the mistakes of a revision. Each change is checked against the goal as the changes before it leave it.
 *
 * **Example** (Finding a slip)
 *
 * ```ts import.meta.vitest
 * import { RevisedSpecification, TaskPack } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const pack = Result.getOrThrow(
 *   TaskPack.make({
 *     pack: "acme.trips",
 *     version: "1.0.0",
 *     state: { world: { spent: "int" } },
 *     specification: { max_total: { holds: "world.spent <= clause.max_total", value: "int" } },
 *     revisions: {}
 *   })
 * )
 * const goal = { clauses: { max_total: 600 } }
 * const verdict = RevisedSpecification.check(pack, goal, [{ change: "withdraw", clause: "max_totl" }])
 * verdict._tag // => "Mistaken"
 * verdict.mistakes // => [{ index: 0, _tag: "Unknown", clause: "max_totl", near: "max_total" }]
 * ```
 */
export const check = (pack: Pack, goal: RevisedClauses, changes: ReadonlyArray<RevisionChange>): RevisionValidity => {
  const { found, revised } = changes.reduce<{
    readonly found: ReadonlyArray<Mistake>
    readonly revised: RevisedClauses
  }>(
    (sofar, change, index) => {
      const own = mistakesIn(pack, sofar.revised, change, index)
      return own.length === 0
        ? { found: sofar.found, revised: revise(sofar.revised, [change]) }
        : { found: [...sofar.found, ...own], revised: sofar.revised }
    },
    { found: [], revised: goal }
  )
  const [first, ...others] = found
  if (first !== undefined) return { _tag: "Mistaken", mistakes: [first, ...others] }
  return Canonical.equals(told(pack, goal), told(pack, revised)) ? { _tag: "Empty" } : { _tag: "Fit" }
}

/** Writes the values of a revision as the types of their clauses write them, for its commit. */
export const quantised = (
  pack: Pack,
  goal: RevisedClauses,
  changes: ReadonlyArray<RevisionChange>
): ReadonlyArray<RevisionChange> => {
  const specification = all(pack, revise(goal, changes))
  return changes.map((change) => {
    if ((change.change !== "set" && change.change !== "add") || change.value === undefined) return change
    const { [change.clause]: value } = Specification.values(specification, { [change.clause]: change.value })
    return { ...change, value: value ?? null }
  })
}

/**
 * The kind of a revision whose user names none, by the form of its changes alone.
 *
 * **Details**
 *
 * Only additions are additive, only withdrawals a cancellation, only orders a priority shift. A mixture is
 * substitutive, and so is a new value: whether 500 is stricter than 600 depends on the condition that reads it. An
 * order beside other changes does not count. No revision is found to be restrictive; a user may call it so.
 */
export const kindOf = (changes: ReadonlyArray<RevisionChange>): RevisionKind => {
  const found = new Set(changes.map(({ change }) => change))
  if (found.size > 1) found.delete("prioritise")
  const [only] = found
  return found.size === 1 && only !== undefined ? kindsOfChanges[only] : "substitutive"
}

const kindsOfChanges = {
  add: "additive",
  prioritise: "priority_shift",
  set: "substitutive",
  withdraw: "cancellation"
} as const satisfies { readonly [C in RevisionChange["change"]]: RevisionKind }

/** Specifications by the pack and the goal: a goal is folded once, and judged at many acts. */
const compiled = new WeakMap<Pack, WeakMap<RevisedClauses, Specification.Specification>>()

const isAdded = ({ added = {} }: RevisedClauses, clause: string): boolean => Object.hasOwn(added, clause)

const isInForce = (goal: RevisedClauses, name: string): boolean =>
  isAdded(goal, name) || goal.withdrawn?.includes(name) !== true

const changed = <G extends RevisedClauses>(goal: G, change: RevisionChange): G => {
  const { added = {}, clauses, priority, withdrawn = [] } = goal
  switch (change.change) {
    case "add": {
      const { clause, description, holds, value } = change
      const own = { holds, ...defined({ description }) }
      const valued = value === undefined ? {} : { clauses: { ...clauses, [clause]: value } }
      return { ...goal, ...valued, added: { ...added, [clause]: own } }
    }
    case "prioritise":
      return { ...goal, priority: change.clauses }
    case "set": {
      const { clause, value } = change
      const isBack = withdrawn.includes(clause) && !isAdded(goal, clause)
      const back = isBack ? { withdrawn: withdrawn.filter((each) => each !== clause) } : {}
      return { ...goal, ...back, clauses: { ...clauses, [clause]: value } }
    }
    case "withdraw": {
      const { clause } = change
      const ranked = priority === undefined ? {} : { priority: priority.filter((each) => each !== clause) }
      if (!isAdded(goal, clause)) return { ...goal, ...ranked, withdrawn: [...withdrawn, clause] }
      const { [clause]: _, ...others } = added
      return { ...goal, ...ranked, added: others }
    }
  }
}

/** The names of all clauses, in force or not. No condition is compiled for them. */
const namesOf = (pack: Pack, { added = {} }: RevisedClauses): ReadonlyArray<string> => [
  ...new Set([...Object.keys(pack.specification), ...Object.keys(added)])
]

const mistakesIn = (
  pack: Pack,
  goal: RevisedClauses,
  change: RevisionChange,
  index: number
): ReadonlyArray<Mistake> => {
  const names = namesOf(pack, goal).filter((name) => isInForce(goal, name))
  switch (change.change) {
    case "add": {
      const { clause, value } = change
      if (names.includes(clause)) return [{ index, _tag: "Exists", clause }]
      const issues = issuesOf(pack, goal, change, index)
      if (issues.length > 0) return [{ index, _tag: "Invalid", clause, issues }]
      return value === undefined ? [] : unfit(pack, revise(goal, [change]), { clause, value }, index)
    }
    case "prioritise":
      return change.clauses.flatMap((clause, place): ReadonlyArray<Mistake> => {
        if (!names.includes(clause)) return [unknown(names, clause, index)]
        return change.clauses.indexOf(clause) === place ? [] : [{ index, _tag: "Repeated", clause }]
      })
    case "set": {
      const { clause, value } = change
      const settable = namesOf(pack, goal)
      return settable.includes(clause)
        ? unfit(pack, goal, { clause, value }, index)
        : [unknown(settable, clause, index)]
    }
    case "withdraw":
      return names.includes(change.clause) ? [] : [unknown(names, change.clause, index)]
  }
}

const unknown = (names: ReadonlyArray<string>, clause: string, index: number): Mistake => {
  const near = NearestName.nearest(clause, names)
  return { index, _tag: "Unknown", clause, ...defined({ near }) }
}

const unfit = (
  pack: Pack,
  goal: RevisedClauses,
  { clause, value }: { readonly clause: string; readonly value: Canonical.Json },
  index: number
): ReadonlyArray<Mistake> =>
  ClauseValues.check({ specification: all(pack, goal) }, { [clause]: value }).map((each) => ({
    index,
    _tag: "Unfit",
    clause,
    unfit: each
  }))

/** The facts about a goal that a revision can change. */
const told = (pack: Pack, goal: RevisedClauses): Canonical.JsonObject => ({
  clauses: Object.values(inForce(pack, goal)).map(({ description = null, holds, name }) => [
    name,
    holds._tag === "Expression" ? holds.expression.source : holds.function.source,
    description
  ]),
  order: order(pack, goal),
  values: values(pack, goal)
})

/** All clauses that have a name: declared ones, withdrawn or not, and added ones, which come before declared ones. */
const all = (pack: Pack, goal: RevisedClauses): Specification.Specification => {
  const added = Object.entries(goal.added ?? {}).map(([name, clause]): readonly [string, Specification.Clause] => {
    const type = typeOf(pack, goal, name)
    const { description, holds } = clause
    return [
      name,
      {
        name,
        holds: conditionOf(pack, goal, holds),
        ...defined({ value: type, description })
      }
    ]
  })
  return { ...pack.specification, ...Object.fromEntries(added) }
}

/** The type of a clause's value: the declared one, or that of the value with which it was added. */
const typeOf = (pack: Pack, { clauses }: RevisedClauses, name: string): Field.Field | undefined => {
  const declared = Object.hasOwn(pack.specification, name) ? pack.specification[name] : undefined
  if (declared !== undefined) return declared.value ?? ClauseValues.kindOf(declared.default)
  if (!Object.hasOwn(clauses, name)) return undefined
  return ClauseValues.kindOf(clauses[name]) ?? { type: "json" }
}

/** The names of the state and the clauses that the condition of an added clause may read. */
const declaredBy = (pack: Pack, goal: RevisedClauses): DeclaredNames => {
  const names = [...Object.keys(pack.specification), ...Object.keys(goal.added ?? {})]
  const types = names.map((name) => [name, typeOf(pack, goal, name)] as const)
  return {
    world: pack.fields.world,
    working: pack.fields.working,
    clauses: Object.fromEntries(types.flatMap(([name, type]) => (type === undefined ? [] : [[name, type]])))
  }
}

const read = (pack: Pack, goal: RevisedClauses, holds: string, path: Path) => {
  const reader = new DefinitionReader("the revision", () => ({ line: 0, column: 0 }), { engine: pack.engine })
  const expression = readExpression(new Node(reader, holds, path), stateNames(declaredBy(pack, goal)), "bool")
  return { expression, reader }
}

/** The condition of an added clause. If the pack in force does not have its fields any more, it has no answer. */
const conditionOf = (pack: Pack, goal: RevisedClauses, holds: string): Condition.Condition => {
  const { expression, reader } = read(pack, goal, holds, [])
  if (expression !== undefined) return { _tag: "Expression", expression }
  const [issue] = reader.errors
  return {
    _tag: "Function",
    function: { source: holds },
    run: () => {
      throw new TypeError(`found ${issue?.found}, expected ${issue?.expected}`)
    }
  }
}

/** Mistakes in the name and in the condition of a clause that is to be added. */
const issuesOf = (
  pack: Pack,
  goal: RevisedClauses,
  change: Extract<RevisionChange, { readonly change: "add" }>,
  index: number
): ReadonlyArray<Issue> => {
  const { reader } = read(pack, revise(goal, [change]), change.holds, ["changes", index, "holds"])
  if (!/^[A-Za-z]\w*$/.test(change.clause)) {
    new Node(reader, change.clause, ["changes", index, "clause"]).fail({
      found: change.clause,
      expected: "a name of letters, digits and _, such as max_total"
    })
  }
  return reader.errors
}
