/**
 * The injection of a revision: the changes of the clauses that a user asks for, judged before they are recorded.
 *
 * A revision is a fact, and is recorded while acts are under way: they settle first, and nothing is begun until the
 * revision is absorbed.
 *
 * @source Revisable by Design, section 4.2
 */
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Check from "../payload/Check.ts"
import * as Payload from "../payload/Payload.ts"
import type { DecisionTerms } from "../state/DecisionTerms.ts"
import * as Goal from "../state/Goal.ts"

const type = "revision.injected"

/** A revision that was judged: its checks, and its payload as it is committed. */
export interface RevisionVerdict {
  readonly checks: ReadonlyArray<Check.Check>
  readonly data: JsonObject
}

/**
 * Judges a revision. The commit has the values as the types of their clauses write them, and the kind that its changes
 * show if the user names none.
 */
export const judge = ({ pack }: Pick<DecisionTerms, "pack">, state: State, given: JsonObject): RevisionVerdict => {
  if (pack?.revisions === undefined) return refused(given, Check.fail("contract", type, "revision.not_permitted", {}))
  if ((PackInForce.of(state).ontology ?? Ontology.first) < Ontology.introducedIn(type)) {
    return refused(given, Check.fail("contract", type, "revision.unpinned", {}))
  }
  const body = { type, data: { kind: "substitutive", ...given } } as const
  const read = Payload.misfit(body) === undefined ? Payload.of(body, type) : undefined
  // A payload of another form is refused as that of any type.
  if (read === undefined) return { checks: [], data: given }
  const { changes, followUp } = read
  if (followUp !== undefined && !Goal.isFollowing(state, followUp)) {
    return refused(given, Check.fail("context", type, "context.changed", {}))
  }
  const goal = Goal.of(state)
  const verdict = RevisedSpecification.check(pack, goal, changes)
  if (verdict._tag === "Empty") return refused(given, Check.fail("schema", type, "revision.empty", {}))
  if (verdict._tag === "Mistaken") return refused(given, ...verdict.mistakes.map(mistaken))
  const kind = RevisedSpecification.kindOf(changes)
  const written = RevisedSpecification.quantised(pack, goal, changes)
  return { checks: [Check.pass("schema", type)], data: { kind, ...given, changes: written } }
}

/** The revised clauses of a goal, as if the changes were injected now. */
export const preview = (
  pack: TaskPack.TaskPack,
  goal: Goal.Goal,
  changes: ReadonlyArray<RevisedSpecification.RevisionChange>
): Goal.Goal => RevisedSpecification.revise(goal, RevisedSpecification.quantised(pack, goal, changes))

const refused = (data: JsonObject, ...checks: ReadonlyArray<Check.Check>): RevisionVerdict => ({ checks, data })

const mistaken = (mistake: RevisedSpecification.Mistake): Check.Check => {
  const { clause, index } = mistake
  switch (mistake._tag) {
    case "Unknown": {
      const near = mistake.near === undefined ? {} : { near: mistake.near }
      return Check.fail("schema", clause, "clause.unknown", { clause, index, ...near })
    }
    case "Exists":
      return Check.fail("schema", clause, "clause.exists", { clause, index })
    case "Repeated":
      return Check.fail("schema", clause, "clause.repeated", { clause, index })
    case "Unfit": {
      const { expected, found } = mistake.unfit
      return Check.fail("schema", clause, "clause.unfit", { clause, expected, found, index })
    }
    case "Invalid": {
      const [issue] = mistake.issues
      const { expected = "", found = "" } = issue ?? {}
      return Check.fail("schema", clause, "clause.invalid", { clause, expected, found, index })
    }
  }
}
