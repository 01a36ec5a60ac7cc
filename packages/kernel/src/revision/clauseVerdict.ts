/**
 * The verdict on an act under changed clauses: it still fits, is in conflict, or the contract does not decide.
 *
 * The conditions of contract and clauses are evaluated with the new values, in the states that the run had right before
 * and right after the act. `Compatibility` in `absorber` says which verdict that gives.
 *
 * @source Revisable by Design, algorithm 1 (IsCompatible)
 */
import type * as Act from "@backstitch/absorber/Act"
import * as Compatibility from "@backstitch/absorber/Compatibility"
import * as Condition from "@backstitch/contracts/Condition"
import * as DataKey from "@backstitch/contracts/DataKey"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as Specification from "@backstitch/contracts/Specification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Expression from "@backstitch/expressions/Expression"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as ClauseChange from "./ClauseChange.ts"
import type * as RunActs from "./RunActs.ts"

/** A revision of a goal: its net changes, and the clauses on both sides of it with their values. */
export interface JudgedRevision {
  readonly changes: ReadonlyArray<ClauseChange.ClauseChange>
  readonly before: Side
  readonly after: Side
}

interface Side {
  readonly clauses: ReadonlyMap<string, Specification.Clause>
  readonly values: JsonObject
}

/** The revision between two goals. */
export const revision = (
  pack: TaskPack.TaskPack,
  before: RevisedSpecification.RevisedClauses,
  after: RevisedSpecification.RevisedClauses
): JudgedRevision => ({
  changes: ClauseChange.between(pack, before, after),
  before: sideOf(pack, before),
  after: sideOf(pack, after)
})

const sideOf = (pack: TaskPack.TaskPack, goal: RevisedSpecification.RevisedClauses): Side => ({
  clauses: new Map(Object.entries(RevisedSpecification.inForce(pack, goal))),
  values: RevisedSpecification.values(pack, goal)
})

/** Judges an act under a revision. */
export const of = (self: JudgedRevision, call: RunActs.RequestedCall): Act.ActVerdict =>
  Compatibility.join(
    self.changes.map((change) => {
      const { clause } = change
      const relation = Compatibility.relationOf(call.contract, clause)
      const verdict = Compatibility.verdict(change.change, relation, evidence(self, change, call))
      return { clause, verdict, assumes: relation.assumes }
    })
  )

/** The evidence about an act and a clause. Each piece is evaluated as it is read: most verdicts need few of them. */
const evidence = (
  { after, before }: JudgedRevision,
  { change, clause, past = [] }: ClauseChange.ClauseChange,
  call: RunActs.RequestedCall
): Compatibility.ClauseEvidence => {
  const [is, was] = [after.clauses.get(clause), before.clauses.get(clause)]
  const { contract } = call
  return {
    get fits() {
      const holds = contract.assumes?.find((each) => each.clause === clause)?.holds
      return holds === undefined ? "unknown" : test(holds, about(call, call.after, after.values))
    },
    get before() {
      return is === undefined ? "unknown" : test(is.holds, about(call, call.before, after.values))
    },
    get after() {
      return is === undefined ? "unknown" : test(is.holds, about(call, call.after, after.values))
    },
    get afterAsItWas() {
      return was === undefined ? "unknown" : test(was.holds, about(call, call.after, before.values))
    },
    get wrote() {
      return is === undefined ? "unknown" : isWritten(is.holds, call)
    },
    get reordered() {
      return change === "prioritise" && past.some((other) => isNeeded(contract, other))
    }
  }
}

/** Tells whether a contract assumes or serves a clause. */
const isNeeded = (contract: RunActs.RequestedCall["contract"], clause: string): boolean => {
  const { assumes, serves } = Compatibility.relationOf(contract, clause)
  return serves || assumes === "condition" || assumes === "name"
}

const about = (
  { actual, key = "", observed, params }: RunActs.RequestedCall,
  state: State | undefined,
  clauses: JsonObject
): Expression.Bindings | undefined =>
  state && ExpressionScope.bindings(state, { actual, args: params, key, observed }, clauses)

const test = (condition: Condition.Condition, bindings: Expression.Bindings | undefined): Compatibility.Evident => {
  if (bindings === undefined) return "unknown"
  const answer = Condition.holds(condition, bindings)
  return Result.isSuccess(answer) ? answer.success : "unknown"
}

/** Tells whether a call wrote a field that a condition reads. It is unknown if the condition is a function. */
const isWritten = (condition: Condition.Condition, { changed }: RunActs.RequestedCall): Compatibility.Evident => {
  if (changed.size === 0) return false
  const reads = Condition.reads(condition)
  if (reads === "any") return "unknown"
  const fields = [...changed].map((key) => DataKey.wholeOf(key) ?? key)
  return reads.some((path) => fields.some((field) => overlaps(path, field)))
}

const overlaps = (path: string, field: string): boolean => {
  const own = path.startsWith("state.") ? field.replace(/^(?:world|working)\./, "state.") : field
  return path === own || path.startsWith(`${own}.`) || own.startsWith(`${path}.`)
}
